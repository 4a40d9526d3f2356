import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { type DevSession, devSession } from '../support/dev-session.ts';
import { requirePython } from '../support/python-projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the running server', function () {
  this.timeout(90_000);
  let session: DevSession;
  before(async () => {
    session = await devSession();
  });
  after(() => session[Symbol.asyncDispose]());

  const variables = () => ({
    LANGSMITH_ENDPOINT: session.baseUrl,
    LANGSMITH_API_KEY: session.apiKey,
    LANGSMITH_TRACING: 'true',
    LANGGRAPH_API_URL: session.deploymentUrl,
  });

  it('is shown with its URL, data folder and agents, never with its key', async () => {
    const { stdout } = await session.cli(['status']);
    for (const part of [session.baseUrl, session.dataDir, session.deploymentUrl]) {
      assert.ok(stdout.includes(part), stdout);
    }
    const told = await session.cli(['status', '--json']);
    const { server, data_dir, free_bytes, deployments } = JSON.parse(told.stdout);
    assert.ok(free_bytes > 0 && /Free on disk +\d+(?:\.\d)? [MGT]B\n/.test(stdout), stdout);
    assert.deepEqual([server.base_url, data_dir, deployments.length], [session.baseUrl, session.dataDir, 1]);
    assert.ok(!(stdout + told.stdout).includes(session.apiKey));
  });

  it('can be used by scripts through printed environment variables', async () => {
    assert.deepEqual(await session.json(['env']), variables());
    const dotenv = await session.agent(['env', '--format', 'dotenv']);
    assert.deepEqual({ ...parseEnv(dotenv.stdout) }, variables());
    const powershell = await session.agent(['env', '--format', 'powershell']);
    assert.ok(
      powershell.stdout.includes(`$env:LANGSMITH_API_KEY = '${session.apiKey}'\n`),
      powershell.stdout,
    );
    if (process.platform === 'win32') return;
    const { stdout: sh } = await session.agent(['env', '--format', 'sh']);
    const seen = await promisify(execFile)('sh', ['-c', `${sh}\nenv`]);
    for (const [name, value] of Object.entries(variables())) {
      assert.ok(seen.stdout.split('\n').includes(`${name}=${value}`), name);
    }
  });

  it('is reached by the scripts of the documentation, in both languages', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const page = await readFile(join(projectRoot, 'docs', 'cli.md'), 'utf8');
    const [, section = ''] = page.split('## From a script\n');
    const script = (language: string) => {
      const [, code = ''] = section.split(`\`\`\`${language}\n`);
      return code.split('```')[0]?.replace('my_graph', 'reply') ?? '';
    };
    const env = { ...process.env, ...variables() };
    const options = { cwd: projectRoot, env };
    const said = await Promise.all([
      promisify(execFile)(python, ['-c', script('python')], options),
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script('js')], options),
    ]);
    for (const { stdout } of said) assert.match(stdout, /^metadata .*run_id.*\nupdates .*reply.*messages/);
  });

  it('has no LANGGRAPH_API_URL in a folder without a served agent', async () => {
    await using folder = await temporaryFolder();
    const { stdout, stderr } = await session.cli(['env', '--json'], { cwd: folder.path });
    assert.equal(JSON.parse(stdout).LANGGRAPH_API_URL, undefined);
    assert.equal(stderr, '');
    const missing = await session.cli(['env', '--config', folder.path]);
    assert.match(missing.stderr, /File not found/);
  });

  it('is reported as not running, without starting one', async () => {
    await using folder = await temporaryFolder();
    const own = ['--data-dir', folder.path];
    const status = await cli(['status', '--json', ...own]);
    assert.equal(JSON.parse(status.stdout).server, null);
    assert.match((await cli(['status', ...own])).stdout, /not running; start it with agent-harbor dev/);
    const env = await cli(['env', ...own]);
    assert.deepEqual([env.code, env.stdout], [1, '']);
    assert.match(env.stderr, /No server is running/);
    assert.equal(JSON.parse((await cli(['status', '--json', ...own])).stdout).server, null);
  });

  it('is stopped, unless a client would start it again', async () => {
    const refused = await session.cli(['stop']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The server is used by 1 client\. Press Ctrl-C where agent-harbor dev/);
    await using folder = await dataFolder();
    const own = ['--data-dir', folder.path];
    assert.deepEqual((await cli(['stop', ...own])).stderr, 'No server is running.\n');
    // The server of a command keeps running for a while.
    assert.equal((await cli(['projects', ...own])).code, 0);
    const stopped = await cli(['stop', ...own]);
    assert.match(stopped.stderr, /^Stopped the server at http:\/\/127\.0\.0\.1:\d+\.\n$/);
    assert.equal(JSON.parse((await cli(['status', '--json', ...own])).stdout).server, null);
  });
});
