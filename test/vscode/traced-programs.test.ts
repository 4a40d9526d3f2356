import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { readServerFile } from '../../src/launcher/server-file.ts';
import { eventually } from '../support/wait.ts';
import { type AgentHarbor, agentHarbor } from './agent-harbor.ts';

/** A program that a test extension may start. */
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

/**
 * Runs a test of a controller, like those of extensions for other test runners, with the command of the
 * Testing view.
 */
async function runInTestingView(test: () => Promise<unknown>): Promise<void> {
  const controller = vscode.tests.createTestController('another-extension', 'Another Extension');
  try {
    const item = controller.createTestItem('test', 'a test', vscode.Uri.file('/tests/test.mjs'));
    controller.items.add(item);
    let ran: Promise<unknown> | undefined;
    const run = async (request: vscode.TestRunRequest) => {
      const running = controller.createTestRun(request);
      ran = test().finally(() => running.end());
      await ran.catch(() => {});
    };
    controller.createRunProfile('Run', vscode.TestRunProfileKind.Run, run, true);
    // The view learns about the test a little later, and runs nothing before that.
    await eventually('the test runs', async () => {
      if (ran === undefined) await vscode.commands.executeCommand('testing.runAll');
      return ran !== undefined;
    });
    await ran;
  } finally {
    controller.dispose();
  }
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

  it('has the environment that the window started with, unless the setting says otherwise', () => {
    assert.deepEqual(environment(), own);
  });

  it('is traced on the local server while the setting is on, and so are tests in the Testing view', async () => {
    await setTracing(true);
    const folder = vscode.extensions.getExtension('agent-harbor.agent-harbor')?.extensionPath;
    const run = promisify(execFile);
    await runInTestingView(() => run('node', ['--input-type=module', '--eval', PROGRAM], { cwd: folder }));
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

  it('has the earlier environment again once the server is stopped or the setting is off', async () => {
    await vscode.commands.executeCommand('agentHarbor.stopServer');
    assert.deepEqual(environment(), own);
    await harbor.serve();
    assert.notDeepEqual(environment(), own);
    await setTracing(false);
    assert.deepEqual(environment(), own);
  });
});
