import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { type AgentHarbor, agentHarbor } from './agent-harbor.ts';

/** What an extension for tests may start. */
const PROGRAM = `import { Client } from 'langsmith';
import { traceable } from 'langsmith/traceable';
const client = new Client();
await traceable(async () => 'done', { name: 'a test', project_name: 'tests', client })();
await client.awaitPendingTraceBatches();
`;
const NAMES = ['LANGSMITH_ENDPOINT', 'LANGSMITH_API_KEY', 'LANGSMITH_TRACING'];

function environment(): (string | undefined)[] {
  return NAMES.map((name) => process.env[name]);
}

describe('a program that another extension starts', function () {
  this.timeout(120_000);
  let harbor: AgentHarbor;
  let own: (string | undefined)[];

  before(async () => {
    own = environment();
    harbor = await agentHarbor();
    await harbor.serve();
  });
  after(async () => {
    await setTracing(undefined);
    await harbor?.end();
  });

  async function setTracing(isOn: boolean | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration('agentHarbor');
    await settings.update('tracePrograms', isOn, vscode.ConfigurationTarget.Global);
  }

  it('has the environment that the window began with, unless the setting says otherwise', () => {
    assert.deepEqual(environment(), own);
  });

  it('is traced on the local server while the setting is on', async () => {
    await setTracing(true);
    const folder = vscode.extensions.getExtension('agent-harbor.agent-harbor')?.extensionPath;
    const run = promisify(execFile);
    await run('node', ['--input-type=module', '--eval', PROGRAM], { cwd: folder });
    const file = await readServerFile(harbor.dataDir);
    assert.ok(file);
    const { tracing } = clientOf({ baseUrl: file.base_url, apiKey: file.api_key }, createDispatcher());
    const [project] = await tracing.sessions.list({ query: { name: 'tests' } });
    const { runs } = await tracing.runs.query({ body: { session: [project?.id ?? ''] } });
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['a test'],
    );
  });

  it('has the environment of before again once the server is stopped, or the setting is off', async () => {
    await vscode.commands.executeCommand('agentHarbor.stopServer');
    assert.deepEqual(environment(), own);
    await harbor.serve();
    assert.notDeepEqual(environment(), own);
    await setTracing(false);
    assert.deepEqual(environment(), own);
  });
});
