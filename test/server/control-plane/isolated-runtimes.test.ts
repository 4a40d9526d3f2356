import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { Client as LangSmithClient } from 'langsmith';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { portOf } from '../../../src/server/http/port-of.ts';
import { type TestContainers, testContainers } from '../../support/containers.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { installLine } from '../../support/projects.ts';
import { requirePython } from '../../support/python-projects.ts';
import { eventually } from '../../support/wait.ts';

/** The attacks that a hostile graph tries. */
const NODE_GRAPH = `
import { spawn } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { Client } from '@langchain/langgraph-sdk';
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ what: Annotation, target: Annotation, outcome: Annotation });
const attacks = {
  nothing: async () => 'done',
  assistants: async () =>
    (await new Client().assistants.search()).map(({ graph_id }) => graph_id).sort().join(),
  read: async (file) => (await readFile(file)).toString('hex').slice(0, 20),
  list: async (folder) => (await readdir(folder)).join(),
  write: async (file) => { await writeFile(file, 'x'); return 'written'; },
  platform: async (asked) => {
    const statuses = [];
    for (const [method, path, body, key = process.env.LANGSMITH_API_KEY] of JSON.parse(asked)) {
      const { status } = await fetch(process.env.LANGSMITH_ENDPOINT + path, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      statuses.push(method + ' ' + path + ' ' + status);
    }
    return statuses.join();
  },
  key: async () => process.env.LANGSMITH_API_KEY,
  call: async (url) => String((await fetch(url)).status),
  ask: (port) =>
    new Promise((resolve) => {
      const socket = connect(process.env.AGENT_HARBOR_RELAY);
      socket.on('error', () => {}).on('close', () => resolve('refused'));
      socket.on('data', (data) => resolve(String(data).split('\\r')[0]));
      socket.write(port + '\\nGET /ok HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\n\\r\\n');
    }),
  kill: async (pid) => { process.kill(Number(pid)); return 'killed'; },
  user: async () => [process.getuid(), process.getgid(), process.pid].join(),
  environment: async () => Object.keys(process.env).sort().join(),
  fork: async () => {
    const children = [];
    let refused = 0;
    for (let count = 0; count < 700; count++) {
      const child = spawn('/usr/bin/sleep', ['60']);
      child.on('error', () => refused++);
      children.push(child);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const child of children) child.kill('SIGKILL');
    return refused > 0 ? 'refused' : 'all started';
  },
  eat: async () => {
    const eaten = [];
    for (;;) { eaten.push(Buffer.alloc(16 * 1024 * 1024, 1)); await new Promise(setImmediate); }
  },
  spin: async () => { for (;;); },
};

async function attack({ what, target }, config) {
  config.writer({ begun: what });
  try {
    return { outcome: await attacks[what](target) };
  } catch (error) {
    return { outcome: String(error.code ?? error.cause?.code ?? error) };
  }
}

export const graph = new StateGraph(State).addNode('attack', attack).addEdge('__start__', 'attack').compile();
`;

const PYTHON_GRAPH = `
import os
from typing import TypedDict
from langgraph.graph import StateGraph

class State(TypedDict, total=False):
    target: str
    outcome: str

def attack(state: State) -> State:
    print("printed by the graph")
    try:
        with open(state["target"], "rb") as file:
            return {"outcome": file.read(10).hex()}
    except OSError as error:
        return {"outcome": f"{type(error).__name__} {os.getuid()}"}

graph = StateGraph(State).add_node("attack", attack).add_edge("__start__", "attack").compile()
`;

/** Copies packages that are installed once for all tests: links would lead out of the build. */
const installOf = (packages: string, python: string) => `
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
cpSync(${JSON.stringify(packages)}, 'node_modules', { recursive: true });
execFileSync(${JSON.stringify(path.join(python, 'bin', 'python'))}, ['-m', 'venv', '--without-pip', '.venv']);
const lib = (folder) => folder + '/lib/' + readdirSync(folder + '/lib')[0] + '/site-packages';
cpSync(lib(${JSON.stringify(python)}), lib('.venv'), { recursive: true });
`;

describe('a deployment whose graphs run in containers', function () {
  this.timeout(180_000);
  let containers: TestContainers;
  let server: ServerProcess;
  let repository: GitRepository;
  let deployment_id: string;
  let url: string;
  let sdk: LangGraphClient;

  before(async function () {
    containers = await testContainers(this);
    const python = path.dirname(path.dirname(await requirePython(this, 'langgraph-1.2')));
    repository = await gitRepository();
    await repository.push({
      'package.json': JSON.stringify({ name: 'hostile', type: 'module' }),
      'langgraph.json': JSON.stringify({
        graphs: { node: './node.mjs:graph', python: './python.py:graph' },
        dependencies: ['.'],
      }),
      'node.mjs': NODE_GRAPH,
      'python.py': PYTHON_GRAPH,
      'install.mjs': installOf(path.join(await installLine('langgraph-1.7'), 'node_modules'), python),
    });
    server = await serverProcess({
      env: { ...containers.environment, AGENT_HARBOR_LOAD_SECONDS: '300' },
    });
    const created = await server.client.deployments.create({
      body: {
        name: 'hostile',
        source: 'github',
        source_config: {
          repo_url: repository.url,
          install_command: 'node install.mjs',
          resource_spec: { memory_limit_mb: 400 },
        },
        source_revision_config: { repo_ref: 'main' },
        secrets: [{ name: 'TOKEN', value: 'its own' }],
      },
    });
    deployment_id = created.id;
    await isDeployed(created.latest_revision_id);
    // Reuses its build, which copied packages on this machine.
    const isolated = await server.client.deployments.update({
      params: { deployment_id },
      body: { source_config: { isolation: 'container' } },
    });
    await isDeployed(isolated.latest_revision_id);
    await connect();
  });
  after(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.stop();
    await server?.[Symbol.asyncDispose]();
  });

  async function isDeployed(revision_id: string | null | undefined): Promise<void> {
    const params = { deployment_id, revision_id: revision_id ?? '' };
    const revision = await waitForRevision(server.client.revisions, params);
    assert.equal(revision.status, 'DEPLOYED', revision.status_message ?? '');
  }
  async function connect(): Promise<void> {
    const { source_config } = await server.client.deployments.get({ params: { deployment_id } });
    url = source_config.custom_url ?? '';
    sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
  }
  const attack = async (what: string, target = '', graph = 'node') => {
    const values = await sdk.runs.wait(null, graph, { input: { what, target } });
    return (values as { outcome?: unknown }).outcome;
  };
  const running = async () => {
    const listed = await containers.tool.ask(['ps', '--all', '--format', '{{.Names}}']);
    return listed.split('\n').filter((name) => name.startsWith('agent-harbor-runtime-'));
  };

  it('answers, streams and keeps its threads as others do, in both languages', async () => {
    assert.equal(await attack('nothing'), 'done');
    const events: unknown[] = [];
    const input = { what: 'nothing' };
    for await (const { event, data } of sdk.runs.stream(null, 'node', { input, streamMode: 'custom' }))
      if (event === 'custom') events.push(data);
    assert.deepEqual(events, [{ begun: 'nothing' }]);
    const { thread_id } = await sdk.threads.create();
    await sdk.runs.wait(thread_id, 'python', { input: { target: '/missing' } });
    const { values } = await sdk.threads.getState<{ outcome: string }>(thread_id);
    assert.match(values.outcome, /^FileNotFoundError \d{5}$/);
    const { logs } = await server.client.deploymentLogs.deploy({
      params: { deployment_id },
      body: { order: 'asc', limit: 1_000 },
    });
    assert.ok(logs.some(({ message }) => message === 'printed by the graph'));
  });

  it('has its traces, and reaches the agent server it runs in', async () => {
    for (const graph of ['node', 'python']) await attack('nothing', '/missing', graph);
    const tracing = new LangSmithClient({ apiUrl: server.baseUrl, apiKey: server.apiKey });
    for (const graph of ['node', 'python'])
      await eventually(
        `a trace of ${graph}`,
        async () => {
          for await (const run of tracing.listRuns({ projectName: 'hostile', isRoot: true }))
            if (run.name === graph && run.outputs?.outcome !== undefined) return run;
          return undefined;
        },
        Boolean,
        30_000,
      );
    assert.equal(await attack('assistants'), 'node,python');
  });

  it('reads no files on this machine, and not the data folder', async () => {
    const missing = ['ENOENT', 'EACCES'];
    for (const file of [
      path.join(server.dataDir, 'state.db'),
      path.join(import.meta.dirname, 'isolated-runtimes.test.ts'),
      '/etc/shadow',
      '/etc/machine-id',
      `${process.env.HOME ?? '/root'}/.bashrc`,
    ])
      assert.ok(missing.includes(String(await attack('read', file))), file);
    assert.equal(
      await attack('read', path.join(server.dataDir, 'state.db'), 'python')
        .then(String)
        .then((said) => said.split(' ')[0]),
      'FileNotFoundError',
    );
    assert.match(
      String(await attack('list', path.join(server.dataDir, 'deployments'))),
      new RegExp(`^(${deployment_id}|ENOENT)$`),
    );
  });

  it('changes nothing, is a user of its own, and has only its own variables', async () => {
    for (const file of ['/usr/bin/x', 'written', '/x'])
      assert.match(String(await attack('write', file)), /^(?:EROFS|EACCES)$/, file);
    assert.equal(await attack('write', '/tmp/written'), 'written');
    const [uid, gid] = String(await attack('user'))
      .split(',')
      .map(Number);
    assert.ok(uid !== undefined && uid >= 20_000 && gid === uid);
    const names = String(await attack('environment')).split(',');
    assert.ok(names.includes('TOKEN'));
    assert.deepEqual(
      names.filter((name) => /DATABASE|REGISTRY|CONTAINER/.test(name)),
      [],
    );
  });

  it('reaches no port on this machine, and no process', async () => {
    const other = createServer((_, response) => response.end('for others'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const place = `http://127.0.0.1:${portOf(other)}/`;
    assert.equal((await fetch(place)).status, 200);
    assert.equal(await attack('call', place), 'ECONNREFUSED');
    assert.equal(await attack('ask', String(portOf(other))), 'refused');
    assert.equal(await attack('ask', new URL(url).port), 'HTTP/1.1 200 OK');
    other.close();
    assert.match(
      String(await attack('call', 'http://10.0.0.1/')),
      /ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|CONNECT_TIMEOUT/,
    );
    assert.equal(await attack('kill', String(server.pid)), 'ESRCH');
  });

  it('deploys nothing, makes no keys, and sees nothing of the workspace with the key it traces with', async () => {
    const asked: [string, string, object?][] = [
      [
        'POST',
        '/v2/deployments',
        { name: 'stage2', source: 'internal_source', source_config: {}, source_revision_config: {} },
      ],
      ['POST', `/v2/deployments/${deployment_id}/upload-url`, {}],
      ['PATCH', `/v2/deployments/${deployment_id}`, { source_config: { install_command: 'bash pwn.sh' } }],
      ['POST', '/api-key', {}],
      ['GET', '/api-key'],
      ['GET', '/v2/deployments'],
      ['GET', '/sessions'],
      ['GET', '/workspaces/current/secrets'],
      ['POST', '/runs/delete', {}],
      ['POST', '/harbor/shutdown', { when: 'now' }],
    ];
    assert.equal(
      await attack('platform', JSON.stringify(asked)),
      asked.map(([method, path]) => `${method} ${path} 403`).join(),
    );
    assert.equal((await server.client.deployments.list({ query: {} })).resources.length, 1);
  });

  it('deploys only what runs in a container, even with the owner’s key', async () => {
    const as = (isolation?: string) => ({
      name: `from inside ${isolation}`,
      source: 'internal_source',
      source_config: isolation === undefined ? {} : { isolation },
      source_revision_config: {},
      secrets: [],
    });
    const { id } = await server.client.deployments.create({
      body: { name: 'outside', source: 'internal_source', source_config: {}, source_revision_config: {} },
    });
    const asked: [number, string, string, object?][] = [
      [403, 'POST', '/v2/deployments', as()],
      [201, 'POST', '/v2/deployments', as('container')],
      [403, 'PATCH', `/v2/deployments/${deployment_id}`, { source_config: { isolation: 'process' } }],
      [403, 'PATCH', `/v2/deployments/${id}`, { source_config: { install_command: 'bash pwn.sh' } }],
      [403, 'POST', `/v2/deployments/${id}/upload-url`, {}],
      [403, 'POST', '/harbor/workspaces', { config_path: '/x/langgraph.json' }],
    ];
    const requests = asked.map(([, method, route, body]) => [method, route, body, server.apiKey]);
    assert.equal(
      await attack('platform', JSON.stringify(requests)),
      asked.map(([status, method, route]) => `${method} ${route} ${status}`).join(),
    );
    const { resources } = await server.client.deployments.list({ query: {} });
    for (const made of resources.filter(({ source }) => source === 'internal_source'))
      await server.client.deployments.delete({ params: { deployment_id: made.id }, query: {} });
  });

  it('has a key that calls no other deployment, and ends with its own', async () => {
    const key = String(await attack('key'));
    const folder = await server.client.deployments.create({
      body: {
        name: 'another',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: 'node install.mjs' },
        source_revision_config: { repo_ref: 'main' },
        secrets: [],
      },
    });
    const { id } = folder;
    const revision_id = folder.latest_revision_id ?? '';
    await waitForRevision(server.client.revisions, { deployment_id: id, revision_id });
    const { source_config } = await server.client.deployments.get({ params: { deployment_id: id } });
    const call = async (base: string | null | undefined, route = '/assistants/search') => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      return (await fetch(`${base}${route}`, { method: 'POST', headers, body: '{}' })).status;
    };
    assert.equal(await call(source_config.custom_url), 403);
    assert.equal(await call(url), 200);
    const other = String(
      await new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: server.apiKey }).runs
        .wait(null, 'node', { input: { what: 'key' } })
        .then((values) => (values as { outcome?: unknown }).outcome),
    );
    const traced = async () => {
      const headers = { 'x-api-key': other, 'content-type': 'application/json' };
      const run = { name: 'n', run_type: 'chain', session_name: 'another', inputs: {} };
      return (await fetch(`${server.baseUrl}/runs`, { method: 'POST', headers, body: JSON.stringify(run) }))
        .status;
    };
    assert.equal(await traced(), 202);
    await server.client.deployments.delete({ params: { deployment_id: id }, query: {} });
    assert.equal(await traced(), 401);
  });

  it('cannot start an unlimited number of processes', async () => {
    // The runtime itself may be refused a thread meanwhile, and the run fails.
    assert.equal(await attack('fork').catch(() => 'refused'), 'refused');
    await eventually(
      'it answers again',
      () => attack('nothing'),
      (outcome) => outcome === 'done',
    );
  });

  it('is restarted when it exceeds its memory limit', async () => {
    const [before] = await running();
    await attack('eat').catch(() => {});
    await eventually(
      'another one runs',
      async () => {
        const now = await running();
        return now.length > 0 && attack('nothing');
      },
      (outcome) => outcome === 'done',
      60_000,
    );
    assert.ok(before);
  });

  it('ends with a server that is killed, even while its code blocks everything', async () => {
    const { thread_id } = await sdk.threads.create();
    await sdk.runs.create(thread_id, 'node', { input: { what: 'spin' } });
    await eventually('it spins', async () => (await sdk.threads.get(thread_id)).status === 'busy');
    assert.ok((await running()).length > 0);
    await server.kill();
    await eventually('no container is left', running, (names) => names.length === 0, 30_000);
  });
});
