import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { readImageAgent } from '../../src/server/image-agent.ts';
import { ANCESTORS_GRAPH } from '../support/ancestors.ts';
import { bundle } from '../support/dist.ts';
import { graphProject } from '../support/projects.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually, FinalFailure } from '../support/wait.ts';

const KEY = 'a-key-of-sixteen-and-more';
const GREETS = `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ value: Annotation() });
export const graph = new StateGraph(State)
  .addNode('node', () => ({ value: [process.env.GREETING, process.env.AGENT_HARBOR_API_KEY ?? null] }))
  .addEdge('__start__', 'node').compile();
`;

/** A graph that tries what the user of graphs must not do. */
const looksAt = (dataDir: string) => `
import { readFileSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ value: Annotation() });
const tried = (work) => { try { work(); return 'done'; } catch (error) { return error.code; } };
const find = (pid, pattern) => pattern.exec(readFileSync('/proc/' + pid + '/status', 'utf8'))?.[1];
const places = [${['key', 'credentials.json'].map((name) => JSON.stringify(path.join(dataDir, name))).join()},
  '/proc/' + process.ppid + '/environ', '/proc/' + process.ppid + '/mem'];
const look = () => ({
  users: [process.pid, process.ppid].map((pid) => find(pid, /Uid:\\s*(\\d+)/)),
  rights: find(process.pid, /CapPrm:\\s*(\\S+)/),
  read: places.map((place) => tried(() => readFileSync(place))),
  root: tried(() => process.setuid(0)),
  kill: tried(() => process.kill(process.ppid, 0)),
});
export const graph = new StateGraph(State)
  .addNode('node', () => ({ value: look() }))
  .addEdge('__start__', 'node').compile();
`;

/** The server, started as in an image. */
async function startImageServer(
  dataDir: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
  ...options: readonly string[]
) {
  const port = await unusedPort();
  const agent = ['--agent', path.join(folder, 'langgraph.json')];
  const args = [bundle('server.js'), '--data-dir', dataDir, ...agent, ...options];
  const env = { PATH: process.env.PATH, PORT: String(port), ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const closed = once(child, 'close').then(([code]): unknown => code);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    log: () => log,
    /** Resolves with its exit code and its whole log. */
    ended: () => closed.then((code) => ({ code, log })),
    serves: () =>
      eventually(
        'the agent is served',
        async () => {
          if (child.exitCode !== null) throw new FinalFailure(log);
          return (await fetch(`${url}/ok`)).ok;
        },
        Boolean,
        30_000,
      ),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function run(url: string, apiKey: string | null): Promise<unknown> {
  const client = new Client({ apiUrl: url, apiKey, callerOptions: { maxRetries: 0 } });
  return client.runs.wait(null, 'greets', { input: { value: null } });
}

describe('the server of an image', function () {
  this.timeout(90_000);

  it('serves its agent for the key of its environment, which replaces an earlier one', async () => {
    const config = JSON.stringify({ graphs: { greets: './graph.mjs:graph' } });
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: { 'langgraph.json': config, 'graph.mjs': GREETS },
      empty: true,
    });
    await using data = await temporaryFolder();
    {
      const environment = { AGENT_HARBOR_API_KEY: KEY, GREETING: 'hello' };
      await using server = await startImageServer(data.path, project.folder, environment);
      await server.serves();
      assert.deepEqual(await run(server.url, KEY), { value: ['hello', null] });
      await assert.rejects(run(server.url, null), /401/);
    }
    const other = `${KEY}-2`;
    {
      await using server = await startImageServer(data.path, project.folder, { AGENT_HARBOR_API_KEY: other });
      await server.serves();
      assert.deepEqual(await run(server.url, other), { value: [null, null] });
      await assert.rejects(run(server.url, KEY), /401/);
    }
    await using open = await startImageServer(data.path, project.folder, {
      AGENT_HARBOR_ALLOW_ANYONE: 'true',
    });
    await open.serves();
    assert.deepEqual(await run(open.url, null), { value: [null, null] });
  });

  it('keeps its secrets from its graphs, which can read how it was started', async function () {
    if (process.platform !== 'linux') skip(this, 'other systems have no /proc');
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'langgraph.json': '{"graphs": {"greets": "./graph.mjs:graph"}}',
        'graph.mjs': ANCESTORS_GRAPH,
      },
      empty: true,
    });
    await using data = await temporaryFolder();
    await using secrets = await temporaryFolder();
    const file = path.join(secrets.path, 'key');
    await writeFile(file, `${KEY}\n`);
    const ways = [{ AGENT_HARBOR_API_KEY: KEY }, { AGENT_HARBOR_API_KEY_FILE: file }];
    for (const way of ways) {
      const environment = { ...way, AWS_SECRET_ACCESS_KEY: 'of-the-graphs' };
      await using server = await startImageServer(data.path, project.folder, environment);
      await server.serves();
      const { value } = z.object({ value: z.string() }).parse(await run(server.url, KEY));
      assert.match(value, /server\.js\n--data-dir/);
      assert.match(value, /^PORT=\d+$/m);
      assert.match(value, /AWS_SECRET_ACCESS_KEY/, 'what the agent itself needs is left to it');
      assert.ok(!value.includes(KEY), value);
    }
    await rm(file);
    await using server = await startImageServer(data.path, project.folder, {
      AGENT_HARBOR_API_KEY_FILE: file,
    });
    const { code, log } = await server.ended();
    assert.equal(code, 2);
    assert.match(log, /^The file of AGENT_HARBOR_API_KEY_FILE cannot be read: ENOENT.*\n$/);
  });

  it('gives its graphs a user of their own when it is started as root, as in the image of the server', async function () {
    if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/setpriv'))
      skip(this, 'only root has other users');
    await using data = await temporaryFolder();
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'langgraph.json': '{"graphs": {"greets": "./graph.mjs:graph"}}',
        'graph.mjs': looksAt(data.path),
      },
      empty: true,
    });
    const key = path.join(data.path, 'key');
    await writeFile(key, KEY, { mode: 0o400 });
    for (const place of [data.path, key]) await chown(place, 1000, 1000);
    await chmod(project.folder, 0o755);
    const look = async (users: Readonly<Record<string, string>>) => {
      await using server = await startImageServer(data.path, project.folder, {
        ...users,
        AGENT_HARBOR_USER: '1000',
        HOME: '/tmp',
        AGENT_HARBOR_API_KEY_FILE: key,
      });
      await server.serves();
      return z.looseObject({ value: z.looseObject({}) }).parse(await run(server.url, KEY)).value;
    };
    assert.deepEqual(await look({ AGENT_HARBOR_GRAPH_USER: '1001' }), {
      users: ['1001', '1000'],
      rights: '0000000000000000',
      read: ['EACCES', 'EACCES', 'EACCES', 'EACCES'],
      root: 'EPERM',
      kill: 'EPERM',
    });
    // Without one, as in the image of a platform, they inherit no right to become another user.
    const { users, rights, root } = await look({});
    assert.deepEqual([users, rights, root], [['1000', '1000'], '0000000000000000', 'EPERM']);
  });

  it('is ready for requests while its graphs sleep and wake', async () => {
    const config = JSON.stringify({ graphs: { greets: './graph.mjs:graph' } });
    const slow = `
import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('loading', '');
while (existsSync('held')) await new Promise((resolve) => setTimeout(resolve, 20));
`;
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: { 'langgraph.json': config, 'graph.mjs': `${slow}${GREETS}` },
      empty: true,
    });
    await using data = await temporaryFolder();
    const [held, loading] = [path.join(project.folder, 'held'), path.join(project.folder, 'loading')];
    const environment = { AGENT_HARBOR_API_KEY: KEY, GREETING: 'hello' };
    await using server = await startImageServer(
      data.path,
      project.folder,
      environment,
      ...['--sleep-after-seconds', '1', '--log-level', 'debug'],
    );
    await server.serves();
    const readiness = async () => (await fetch(`${server.url}/ready`)).status;
    await writeFile(held, '');
    await rm(loading);
    await eventually(
      'its graphs sleep',
      () => server.log().includes('is idle and was stopped'),
      Boolean,
      20_000,
    );
    assert.equal(await readiness(), 200);
    const answer = run(server.url, KEY);
    await eventually('they wake', () => existsSync(loading), Boolean, 20_000);
    assert.equal(await readiness(), 200);
    await rm(held);
    assert.deepEqual(await answer, { value: ['hello', null] });
  });

  it('exits with code 1 and logs the reason when a graph does not load', async () => {
    const config = JSON.stringify({ graphs: { greets: './graph.mjs:graph', broken: './gone.mjs:graph' } });
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: { 'langgraph.json': config, 'graph.mjs': GREETS },
      empty: true,
    });
    await using data = await temporaryFolder();
    await using server = await startImageServer(data.path, project.folder, { AGENT_HARBOR_API_KEY: KEY });
    const { code, log } = await server.ended();
    assert.equal(code, 1);
    assert.match(log.trimEnd().split('\n').at(-1) ?? '', /^Graph 'broken' failed to load: .*gone\.mjs/);
  });

  it('says what its environment lacks', () => {
    const read = (environment: NodeJS.ProcessEnv) => readImageAgent('langgraph.json', environment);
    assert.throws(() => read({}), /Set AGENT_HARBOR_API_KEY to a key of your own/);
    assert.throws(() => read({ AGENT_HARBOR_ALLOW_ANYONE: 'false' }), /Set AGENT_HARBOR_API_KEY/);
    assert.throws(() => read({ AGENT_HARBOR_API_KEY: 'short' }), /at least 16 characters/);
    assert.throws(
      () => read({ AGENT_HARBOR_API_KEY: KEY, PORT: '80a' }),
      /PORT must be a number from 1 to 65535, not '80a'/,
    );
    assert.throws(
      () => read({ AGENT_HARBOR_API_KEY: KEY, AGENT_HARBOR_ISOLATION: 'container' }),
      /AGENT_HARBOR_ISOLATION=container is for deployments that a server builds/,
    );
    const shared = { AGENT_HARBOR_API_KEY: KEY, AGENT_HARBOR_DATABASE: 'postgres://127.0.0.1/x' };
    assert.throws(
      () => read({ ...shared, AGENT_HARBOR_ROLES: 'api,build' }),
      /AGENT_HARBOR_ROLES must name api, runs or several of them separated by commas for an agent without a platform, not 'build'/,
    );
    assert.throws(
      () => read({ AGENT_HARBOR_API_KEY: KEY, AGENT_HARBOR_ROLES: 'api' }),
      /AGENT_HARBOR_ROLES is for servers that share a database/,
    );
    for (const role of ['traces', 'builds'])
      assert.throws(
        () => read({ ...shared, AGENT_HARBOR_ROLES: `runs,${role}` }),
        new RegExp(`not '${role}'`),
      );
    assert.deepEqual([...read({ ...shared, AGENT_HARBOR_ROLES: ' api' }).roles], ['api', 'traces']);
    for (const all of [undefined, '', ' '])
      assert.deepEqual([...read({ ...shared, AGENT_HARBOR_ROLES: all }).roles], ['api', 'runs', 'traces']);
    assert.equal(read({ AGENT_HARBOR_API_KEY: KEY }).port, 8000);
    const patient = read({ ...shared, AGENT_HARBOR_DATABASE_PATIENCE_SECONDS: '2.5' });
    assert.deepEqual(
      Object.keys(patient.environment).filter((name) => name.startsWith('AGENT_HARBOR')),
      [],
    );
  });
});
