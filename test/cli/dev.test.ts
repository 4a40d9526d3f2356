import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { cli, type RunningCli, startCli } from '../support/cli.ts';
import { type DataFolder, dataFolder } from '../support/data-folder.ts';
import { isAlive, processTree } from '../support/process-tree.ts';
import { skip } from '../support/skip.ts';
import { eventually, FinalFailure } from '../support/wait.ts';

const root = resolve(import.meta.dirname, '../..');
const agents = join(root, 'test/fixtures/agents');
const config = join(agents, 'langgraph.json');

const Ready = z.strictObject({
  deployment_url: z.url(),
  base_url: z.url(),
  control_plane_url: z.url(),
  api_key: z.string().min(1),
  pid: z.int(),
});

describe('agent-harbor dev', function () {
  this.timeout(90_000);
  let folder: DataFolder;
  let dispatcher: Dispatcher;
  beforeEach(async () => {
    folder = await dataFolder();
    dispatcher = createDispatcher({});
  });
  afterEach(async () => {
    await dispatcher.destroy();
    await folder[Symbol.asyncDispose]();
  });

  function dev(...args: string[]): RunningCli {
    return startCli(['dev', '--config', config, '--port', '0', '--data-dir', folder.path, ...args]);
  }

  async function ready(running: RunningCli) {
    return Ready.parse(JSON.parse(await running.said('\n')));
  }

  function clientOf({
    deployment_url,
    base_url,
    control_plane_url,
    api_key,
  }: z.output<typeof Ready>): Client {
    return new Client({
      dispatcher,
      connection: {
        baseUrl: base_url,
        controlPlaneUrl: control_plane_url,
        deploymentUrl: deployment_url,
        credentials: { apiKey: api_key },
      },
    });
  }

  it('prints one line of JSON when ready, and serves every URL in it', async () => {
    await using running = dev('--json');
    const line = await ready(running);
    const client = clientOf(line);
    assert.equal((await client.system.ok()).ok, true);
    assert.equal((await client.deployments.list()).resources.length, 1);
    assert.equal((await client.tracing.info.info()).batch_ingest_config.use_multipart_endpoint, true);
    assert.equal(line.pid, await folder.serverPid());
    const { code, stdout } = await running.interrupt();
    assert.equal(code, 0);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
  });

  it('requires the printed key with --require-key', async () => {
    await using running = dev('--json', '--require-key');
    const line = await ready(running);
    const search = (headers: Record<string, string>) =>
      fetch(`${line.deployment_url}/assistants/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    assert.equal((await search({})).status, 401);
    assert.equal((await search({ 'x-api-key': line.api_key })).status, 200);
    const list = (LANGGRAPH_API_KEY: string) =>
      cli(['assistants', 'list', '--deployment', line.deployment_url], {
        environment: { LANGGRAPH_API_KEY, LANGSMITH_API_KEY: '' },
      });
    assert.match(
      (await list('')).stderr,
      /API key is required\. Set LANGGRAPH_API_KEY or LANGSMITH_API_KEY in .*, or add --header "x-api-key: <key>"/,
    );
    assert.match((await list('ah_wrong')).stderr, /not valid\. Check LANGGRAPH_API_KEY .*, and --header\./);
    assert.equal((await list(line.api_key)).code, 0);
    const own = ['--config', config, '--data-dir', folder.path];
    const { code, stdout } = await cli(['assistants', 'list', '--json', ...own]);
    assert.equal(code, 0);
    assert.notEqual(JSON.parse(stdout).length, 0);
    assert.equal((await search({})).status, 401, 'and a caller who did not ask for that changes nothing');
  });

  it('uses another port when the previous one is in use, and says so', async () => {
    await using before = dev('--json');
    const { port } = new URL((await ready(before)).deployment_url);
    await before.interrupt();
    const other = createServer().listen(Number(port), '127.0.0.1');
    try {
      await once(other, 'listening');
      await using after = startCli(['dev', '--config', config, '--data-dir', folder.path]);
      await after.said(`Port ${port} is in use by another program. This agent is at http://127.0.0.1:`);
    } finally {
      other.close();
    }
  });

  it('leaves no process behind after Ctrl-C', async () => {
    await using running = dev('--json');
    const { pid } = await ready(running);
    const started = processTree([pid]);
    const expected = 'the platform, the agent, and what ends the agent with the platform';
    if (process.platform !== 'win32') assert.equal(started.length, 3, expected);
    const { code } = await running.interrupt();
    assert.equal(code, 0);
    await eventually('no process is left', () => started.every((pid) => !isAlive(pid)));
  });

  it('leaves an unfinished run to the next start after Ctrl-C', async () => {
    await using running = dev('--json');
    const client = clientOf(await ready(running));
    const { thread_id } = await client.threads.create({ body: {} });
    const body = { assistant_id: 'wait', input: {} };
    const { run_id } = await client.runs.create({ params: { thread_id }, body });
    assert.equal((await running.interrupt()).code, 0);
    await using next = dev('--json');
    const again = clientOf(await ready(next));
    const run = () => again.runs.get({ params: { thread_id, run_id } });
    assert.ok(['pending', 'running'].includes((await run()).status));
    await using log = startCli(['dev', '--config', config, '--data-dir', folder.path]);
    await log.said(`Run ${run_id} lost its process and continues from its last checkpoint (attempt 2).`);
    assert.equal((await log.interrupt()).code, 0);
    await again.runs.cancel({ params: { thread_id, run_id }, query: { wait: true } });
    assert.equal((await run()).status, 'interrupted');
    assert.equal((await next.interrupt()).code, 0);
  });

  it('leaves no process behind after SIGTERM', async function () {
    if (process.platform === 'win32') skip(this, 'Windows ends a process without asking it');
    await using running = dev('--json');
    const started = processTree([(await ready(running)).pid]);
    running.child.kill('SIGTERM');
    assert.equal((await running.ended()).code, 0);
    await eventually('no process is left', () => started.every((pid) => !isAlive(pid)));
  });

  it('shows URLs, graphs, and what the agent prints', async () => {
    await using project = await projectWith('console.log("loaded by the test");');
    await using running = startCli([
      'dev',
      ...['--config', join(project.path, 'langgraph.json'), '--port', '0', '--data-dir', folder.path],
    ]);
    await running.said('loaded by the test');
    await running.said(/Agent +http:\/\/127\.0\.0\.1:\d+/);
    await running.said(/Platform +http:\/\/127\.0\.0\.1:\d+/);
    await running.said(/✓ talk {2}Says something, token by token\./);
    await running.said(/LangGraph 1\.\d+\.\d+/);
    assert.equal((await running.interrupt()).code, 0);
  });

  it('shows each line of the agent once, immediately, also across a reload', async () => {
    const code = (name: string) =>
      `let n = 0; setInterval(() => console.log('${name} line ' + ++n), 20).unref();`;
    await using project = await projectWith(code('first'));
    await using running = startCli([
      'dev',
      ...['--config', join(project.path, 'langgraph.json'), '--port', '0', '--data-dir', folder.path],
    ]);
    const numbers = (name: string, text: string) =>
      [...text.matchAll(new RegExp(`${name} line (\\d+)\\b`, 'g'))].map(([, number]) => Number(number));
    let before = '';
    const grows = (name: string, least: number) =>
      eventually(`${least} lines of the ${name} load`, () => {
        const { stdout } = running;
        if (!stdout.startsWith(before)) throw new FinalFailure(`what was shown is gone:\n${before}`);
        before = stdout;
        const shown = numbers(name, stdout.slice(0, stdout.lastIndexOf('\n') + 1));
        if (shown.some((number, at) => number !== at + 1)) throw new FinalFailure(`${name}: ${shown}`);
        return shown.length >= least;
      });
    await grows('first', 5);
    await grows('first', 10);
    await writeFile(
      join(project.path, 'talk.mjs'),
      `${code('second')}\nexport { graph } from './talk-again.mjs';`,
    );
    await grows('second', 5);
    await grows('first', 10);
    assert.equal((await running.interrupt()).code, 0);
  });

  it('reloads the graphs when a source is saved, and shows their state', async () => {
    await using project = await projectWith('');
    await using running = startCli([
      'dev',
      ...['--config', join(project.path, 'langgraph.json'), '--port', '0', '--data-dir', folder.path],
    ]);
    await running.said('✓ talk');
    await writeFile(join(project.path, 'talk.mjs'), 'export const graph = 7;');
    await running.said(/✗ talk .*talk\.mjs.* is a number/);
    await cp(join(agents, 'talk.mjs'), join(project.path, 'talk.mjs'));
    await running.said(/✗ talk.*✓ talk/s);
    assert.equal((await running.interrupt()).code, 0);
  });

  it('reports each error once, what was reloaded, who else serves the folder, and that it was deleted', async () => {
    await using project = await projectWith('process.stdout.write("a question? ");');
    const args = ['--port', '0', '--data-dir', folder.path];
    const options = { cwd: project.path };
    await using first = startCli(['dev', ...args], options);
    await first.said('Press Ctrl-C to stop.');
    await first.said('a question?');
    const good = await readFile(join(project.path, 'talk.mjs'), 'utf8');
    await writeFile(join(project.path, 'talk.mjs'), 'export const graph = ;\n');
    await first.said(/Failed: talk\.\n(.*\n)*✗ talk talk\.mjs:1:22 could not be loaded: SyntaxError/);
    const failures = first.stdout.split('\n').filter((line) => line.includes('could not be loaded'));
    assert.equal(failures.length, 1, failures.join('\n'));
    await writeFile(join(project.path, 'talk.mjs'), good);
    await first.said(/Changed: talk\.mjs\. Reloading the graphs\.\n(.*\n)*.*Reloaded: talk\.\n/);

    await using second = startCli(['dev', '--data-dir', folder.path], options);
    await second.said('Press Ctrl-C to stop.');
    await second.said('Reloaded: talk.');
    assert.match(
      second.stdout,
      new RegExp(`^Also served by another terminal \\(process ${first.child.pid}\\)`, 'm'),
    );
    assert.doesNotMatch(second.stdout, /could not be loaded|Changed:/);
    assert.equal((await second.interrupt()).code, 0);

    const name = basename(project.path);
    const log = await cli(['logs', name, '--data-dir', folder.path]);
    assert.match(log.stdout, /Graph 'talk' failed to load: .*\n(.*\n)*.*Reloaded: talk\./);
    assert.equal(log.code, 0, log.stderr);

    const [platform, key] = [/Platform +(\S+)/, /API key +(\S+)/].map(
      (line) => line.exec(first.stdout)?.[1] ?? '',
    );
    const headers = { 'x-api-key': key ?? '' };
    const all = await fetch(`${platform}/v2/deployments?name_contains=${name}`, { headers });
    const { resources } = (await all.json()) as { resources: { id: string }[] };
    const gone = await fetch(`${platform}/v2/deployments/${resources[0]?.id}`, { method: 'DELETE', headers });
    assert.equal(gone.status, 204);
    const ended = await first.ended();
    assert.equal(ended.code, 1);
    assert.match(
      ended.stderr,
      new RegExp(`'${name}' was deleted with its threads.* Run agent-harbor dev to serve it again`),
    );
  });

  it('starts without the env file, says how to create it, and uses it once it exists', async () => {
    await using project = await projectWith('console.log("KEY is", process.env.HARBOR_TEST_KEY);');
    const file = join(project.path, 'langgraph.json');
    await writeFile(file, '{"graphs": {"talk": "./talk.mjs:graph"}, "env": ".env"}');
    await writeFile(join(project.path, '.env.example'), 'HARBOR_TEST_KEY=');
    await using running = startCli(['dev', '--config', file, '--port', '0', '--data-dir', folder.path]);
    await running.said('✓ talk');
    await running.said('Env file .env not found, so HARBOR_TEST_KEY is not set: copy .env.example to .env');
    await running.said('KEY is undefined');
    await writeFile(join(project.path, '.env'), 'HARBOR_TEST_KEY=set');
    await running.said('KEY is set');
    assert.equal((await running.interrupt()).code, 0);
  });

  it('keeps serving a folder that another client has opened too', async () => {
    await using running = dev('--json');
    const line = await ready(running);
    const client = clientOf(line);
    const editor = new AbortController();
    const present = await client.harbor.changes({ query: { client: 'editor' } }, { signal: editor.signal });
    await client.harbor.openFolder({ body: { config_path: config, holder: 'editor' } });
    assert.equal((await running.interrupt()).code, 0);
    assert.equal((await client.system.ok()).ok, true);
    const [deployment] = (await client.deployments.list()).resources;
    assert.ok(deployment);
    await client.harbor.closeFolder({
      params: { deployment_id: deployment.id },
      body: { holder: 'editor' },
    });
    await assert.rejects(client.system.ok({ query: {} }, { retries: 0 }));
    present.close();
    editor.abort();
    await client.harbor.shutdown({ body: { when: 'now' } });
    await eventually('the server has ended', () => !isAlive(line.pid));
  });

  it('does not pass its own memory settings to the graphs', async () => {
    await using project = await projectWith(
      'console.log("settings:", Object.keys(process.env).filter((name) => name.includes("MALLOC")).length);',
    );
    const file = join(project.path, 'langgraph.json');
    await using running = startCli(['dev', '--config', file, '--port', '0', '--data-dir', folder.path]);
    await running.said('settings: 0');
    await running.said('✓ talk');
    assert.equal((await running.interrupt()).code, 0);
  });

  it('passes the variables of its terminal to the graphs, even if the server is already running', async () => {
    await using other = startCli(['serve', '--data-dir', folder.path]);
    await other.said(/http/);
    await using project = await projectWith('console.log("exported:", process.env.EXPORTED_HERE);');
    await using running = startCli(
      ['dev', '--config', join(project.path, 'langgraph.json'), '--port', '0', '--data-dir', folder.path],
      { environment: { EXPORTED_HERE: 'in this terminal' } },
    );
    await running.said('exported: in this terminal');
    await running.said('✓ talk');
    assert.equal((await running.interrupt()).code, 0);
    assert.equal((await other.interrupt()).code, 0);
  });

  it('restarts a killed server at the same URLs, with every acknowledged thread', async () => {
    await using running = dev('--json');
    const line = await ready(running);
    const client = clientOf(line);
    const thread = await client.threads.create({ body: { metadata: { kept: true } } });
    process.kill(line.pid, 'SIGKILL');
    const again = await eventually(
      'the thread is back',
      () => client.threads.get({ params: { thread_id: thread.thread_id } }),
      undefined,
      30_000,
    );
    assert.deepEqual(again.metadata, { kept: true });
    assert.notEqual(await folder.serverPid(), line.pid);
    assert.equal((await running.interrupt()).code, 0);
    assert.equal(await folder.serverPid(), undefined);
  });

  it('keeps the server and an agent running while other clients use them', async () => {
    await using first = dev('--json');
    const line = await ready(first);
    await using second = startCli(['dev', '--config', config, '--data-dir', folder.path, '--json']);
    assert.deepEqual(await ready(second), line);
    const { code, stderr } = await second.interrupt();
    assert.equal(code, 0);
    assert.match(stderr, /The server keeps running because another client is using it/);
    assert.equal((await clientOf(line).system.ok()).ok, true);
    await first.interrupt();
    assert.equal(await folder.serverPid(), undefined);
  });

  it('stops immediately during the start, with the server that it started', async function () {
    if (process.platform === 'win32') skip(this, 'processes are not listed there');
    await using running = dev();
    const { pid = 0 } = running.child;
    const begun = await eventually('it starts a server', () => {
      const [, ...started] = processTree([pid]);
      return started.length > 0 ? started : undefined;
    });
    const { code } = await running.interrupt();
    assert.ok(code === 0 || code === 130, String(code));
    await eventually('no process is left', () => begun.every((started) => !isAlive(started)));
  });

  it('keeps traces readable after the command has ended', async () => {
    const ran = await cli([
      ...['run', 'talk', '--input', '{"messages": "Hello"}', '--json'],
      ...['--config', config, '--data-dir', folder.path],
    ]);
    const { run_id } = z
      .object({ data: z.object({ run_id: z.string() }) })
      .parse(JSON.parse(ran.stdout.split('\n')[0] ?? '')).data;
    const { code, stdout } = await cli(['trace', run_id, '--data-dir', folder.path]);
    assert.equal(code, 0);
    assert.match(stdout, /^✓ talk chain/);
    assert.match(stdout, /[├└]─ ✓ say chain/);
    assert.match(stdout, / {3}└─ ✓ FakeListChatModel llm/);
    const whole = await cli(['trace', run_id, '--io', '--data-dir', folder.path]);
    assert.match(whole.stdout, /^✓ talk chain, .*\n│ {2}< user: Hello\n│ {2}> human: Hello\n/);
    assert.match(
      whole.stdout,
      /FakeListChatModel llm, .*\n +< human: Hello\n +> ai: Ships are safe in the harbor\.\n/,
    );
    const json = await cli(['trace', run_id, '--json', '--data-dir', folder.path]);
    const tree = z
      .object({ inputs: z.unknown(), child_runs: z.array(z.object({ outputs: z.unknown() })) })
      .parse(JSON.parse(json.stdout));
    assert.match(JSON.stringify(tree.inputs), /Hello/);
    assert.match(JSON.stringify(tree.child_runs), /Ships are safe/);
    const served = await cli(['deployments', '--data-dir', folder.path]);
    assert.match(served.stderr, /No deployments/);
    const all = await cli(['deployments', '--all', '--data-dir', folder.path]);
    assert.match(all.stdout, /^agents +- +open folder +- /m);
    const byName = await cli(['delete', 'agents', '--yes', '--data-dir', folder.path]);
    assert.equal(byName.code, 1);
    const [, id = ''] = /was not deployed: .* use its ID: ([0-9a-f-]{36})/.exec(byName.stderr) ?? [];
    assert.equal((await cli(['delete', id, '--yes', '--data-dir', folder.path])).code, 0);
    assert.doesNotMatch((await cli(['deployments', '--all', '--data-dir', folder.path])).stdout, /agents/);
    const unknown = await cli([
      'trace',
      '018f3a5e-0000-7000-8000-000000000001',
      ...['--data-dir', folder.path],
    ]);
    assert.match(unknown.stderr, /not found/);
    assert.equal(unknown.code, 1);
  });

  /** A separate project with this repository's packages. */
  async function projectWith(code: string) {
    const path = await mkdtemp(join(tmpdir(), 'agent-harbor-project-'));
    await cp(agents, path, { recursive: true });
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'), 'junction');
    await writeFile(
      join(path, 'langgraph.json'),
      JSON.stringify({
        graphs: { talk: { path: './talk.mjs:graph', description: 'Says something, token by token.' } },
      }),
    );
    if (code !== '')
      await writeFile(join(path, 'talk.mjs'), `${code}\nexport { graph } from './talk-again.mjs';`);
    await cp(join(agents, 'talk.mjs'), join(path, 'talk-again.mjs'));
    return {
      path,
      [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
    };
  }
});
