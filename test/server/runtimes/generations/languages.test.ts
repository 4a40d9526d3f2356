import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import type { RuntimeState } from '../../../../src/contract/harbor.ts';
import { IdleMemory } from '../../../../src/process/idle-memory.ts';
import { DeploymentRuntime } from '../../../../src/server/runtimes/deployment-runtime.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { graphProject } from '../../../support/projects.ts';
import { pythonEnvironment, pythonProject, requirePython } from '../../../support/python-projects.ts';
import { CheckpointKeeper } from '../../../support/runtime/checkpoint-keeper.ts';
import { ItemKeeper } from '../../../support/runtime/item-keeper.ts';
import { nodeRuntime, pythonRuntime } from '../../../support/runtime/node-bundle.ts';
import { eventually } from '../../../support/wait.ts';

const LINE = 'langgraph-1.2';

describe('a project', () => {
  let python: string;
  let bundle: string;
  let traces: Server;

  before(async function () {
    python = await requirePython(this, LINE);
    bundle = await nodeRuntime();
    traces = createServer((request, response) => request.resume().on('end', () => response.end('{}')));
    await new Promise<void>((resolve) => traces.listen(0, '127.0.0.1', resolve));
  });
  after(() => traces?.close());

  /** Serves the graphs of a langgraph.json; everything that a runtime stores is kept in memory. */
  async function serve(folder: string, choice?: string) {
    const checkpoints = new CheckpointKeeper();
    const items = new ItemKeeper();
    const log = new LogBook();
    const states: RuntimeState[] = [];
    const runtime = new DeploymentRuntime({
      memory: new IdleMemory(),
      server: async () => ({ token: 'none' }),
      source: { configPath: path.join(folder, 'langgraph.json'), python: choice },
      nodeRuntime: bundle,
      pythonRuntime,
      tracing: { endpoint: `http://127.0.0.1:${port(traces)}`, apiKey: 'none', project: 'test' },
      log,
      watch: false,
    });
    runtime.connect({
      onState: (state) => states.push(state),
      requests: {
        'checkpoints.sync': () => ({}),
        'checkpoints.get': ({ thread_id, checkpoint_ns, checkpoint_id }) => ({
          tuple: checkpoints.get(thread_id, checkpoint_ns, checkpoint_id),
        }),
        'checkpoints.list': (params) => ({ tuples: checkpoints.list(params) }),
        'checkpoints.delete_thread': () => ({}),
        'store.batch': ({ operations }) => ({ answers: items.batch(operations) }),
        'exchange.answer': () => ({ answer: 'live' }),
        'exchange.read_part': () => {
          throw new Error('There is no recording.');
        },
        'exchange.record_part': () => ({}),
        'model.begin': () => ({}),
      },
      notifications: {
        'run.events': () => {},
        'checkpoints.put': (put) => checkpoints.put(put),
        'checkpoints.put_writes': (put) => checkpoints.putWrites(put),
        'exchange.record': () => {},
        'model.end': () => {},
        'http.body': () => {},
        log: ({ message }) => log.write('INFO', message),
      },
    });
    await runtime.start();
    const run = async (graphId: string, input: unknown) => {
      const generation = await runtime.ready();
      return generation.runtimeOfGraph(graphId).use((connection) =>
        connection.request('run.execute', {
          run_id: randomUUID(),
          thread_id: randomUUID(),
          assistant_id: 'assistant',
          graph_id: graphId,
          attempt: 1,
          input,
          command: null,
          config: {},
          context: {},
          checkpoint: null,
          start_from: null,
          stream_modes: ['values'],
          stream_subgraphs: false,
          durability: 'async',
        }),
      );
    };
    return {
      runtime,
      run,
      states,
      lines: () => log.lines.map(({ message }) => message),
      [Symbol.asyncDispose]: () => runtime.stop(),
    };
  }

  /** Graphs of both languages in one folder, which has the environment of each. */
  async function mixedProject() {
    const node = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'graph.py': [
          'from typing import TypedDict',
          'from langgraph.graph import START, StateGraph',
          'import os',
          'class State(TypedDict, total=False):',
          '    value: int',
          'def triple(state):',
          '    return {"value": state["value"] * 3}',
          'def leave(state):',
          '    os._exit(3)',
          'triples = StateGraph(State).add_node(triple).add_edge(START, "triple").compile()',
          'leaves = StateGraph(State).add_node(leave).add_edge(START, "leave").compile()',
        ].join('\n'),
      },
    });
    await symlink(path.dirname(path.dirname(python)), path.join(node.folder, '.venv'), 'junction');
    await writeFile(
      path.join(node.folder, 'langgraph.json'),
      JSON.stringify({
        dependencies: ['.'],
        graphs: {
          double: './basic.ts:builder',
          triple: './graph.py:triples',
          leaves: './graph.py:leaves',
          slow: './troubles.ts:slow',
        },
      }),
    );
    return node;
  }

  it('of Python graphs is served with the environment in its folder', async () => {
    await using project = await pythonProject({ python });
    await symlink(path.dirname(path.dirname(python)), path.join(project.folder, '.venv'), 'junction');
    await using served = await serve(project.folder);
    const result = await served.run('one_node', { value: 1 });
    assert.deepEqual(JSON.parse(result.state?.values ?? ''), { value: 2 });
    assert.ok(
      served
        .lines()
        .some((line) => /^Graphs run on Python 3\.\d+\.\d+ \(.*\.venv.*\), LangGraph 1\.2/.test(line)),
      served.lines().join('\n'),
    );
    const state = served.states.at(-1);
    assert.equal(state?.state === 'ready' ? state.language : '', 'python');
  });

  it('of Python and TypeScript graphs has one process per language', async () => {
    await using project = await mixedProject();
    await using served = await serve(project.folder);
    const values = await Promise.all(
      ['double', 'triple'].map(async (id) => {
        const result = await served.run(id, { value: 7 });
        return JSON.parse(result.state?.values ?? '').value;
      }),
    );
    assert.deepEqual(values, [14, 21]);
    const state = served.states.at(-1);
    assert.ok(state?.state === 'ready');
    assert.equal(state.language, 'node + python');
    assert.deepEqual(
      state.graphs.map(({ graph_id }) => graph_id),
      ['double', 'triple', 'leaves', 'slow'],
    );
  });

  it('of both languages keeps the runs of one when the process of the other dies', async () => {
    await using project = await mixedProject();
    await using served = await serve(project.folder);
    const slow = served.run('slow', { ms: 1500 });
    await assert.rejects(served.run('leaves', {}), { name: 'ConnectionClosedError' });
    const result = await slow;
    assert.equal(result.status, 'success');
    const again = await served.run('triple', { value: 2 });
    assert.equal(JSON.parse(again.state?.values ?? '').value, 6);
  });

  it('of both languages serves one when the other has no interpreter', async () => {
    await using project = await mixedProject();
    await using served = await serve(project.folder, path.join(project.folder, 'nowhere'));
    const result = await served.run('double', { value: 1 });
    assert.equal(result.status, 'success');
    const generation = await served.runtime.ready();
    const failed = generation.graph('triple');
    assert.match(
      failed?.status === 'failed' ? failed.error.message : '',
      /The selected Python .*nowhere does not run/,
    );
  });

  it('of TypeScript graphs has a Python process when auth is in Python', async () => {
    await using project = await mixedProject();
    await writeFile(
      path.join(project.folder, 'auth.py'),
      [
        'from langgraph_sdk import Auth',
        'auth = Auth()',
        '@auth.authenticate',
        'async def whoever(headers):',
        '    return "somebody"',
      ].join('\n'),
    );
    await writeFile(
      path.join(project.folder, 'langgraph.json'),
      JSON.stringify({ graphs: { double: './basic.ts:builder' }, auth: { path: './auth.py:auth' } }),
    );
    await using served = await serve(project.folder);
    const auth = (await served.runtime.ready()).runtimeOfExtra('auth');
    assert.equal(auth.language, 'python');
    const answer = await auth.use((connection) =>
      connection.request('auth.authenticate', {
        method: 'GET',
        url: 'http://localhost/threads',
        headers: [],
      }),
    );
    assert.match(JSON.stringify(answer), /somebody/);
  });

  it('without LangGraph shows the command that installs it', async () => {
    await using project = await pythonProject({
      python,
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({ dependencies: ['.'], graphs: { agent: './agent.py:graph' } }),
        'agent.py': 'from langgraph.graph import StateGraph',
        'requirements.txt': 'langgraph',
      },
    });
    const bare = path.join(project.folder, '.venv');
    await makeBareEnvironment(bare);
    await using served = await serve(project.folder);
    await eventually('the graphs', () => served.states.at(-1)?.state === 'ready');
    const generation = await served.runtime.ready();
    const failed = generation.graph('agent');
    assert.match(
      failed?.status === 'failed' ? failed.error.message : '',
      /LangGraph is not installed in .* Run this in .*: .*python(\.exe)?"? -m pip install -r requirements\.txt/,
    );
  });

  it('that imports a missing package shows the command that installs it', async () => {
    await using project = await pythonProject({
      python,
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({ graphs: { agent: './agent.py:graph' } }),
        'agent.py': '\nimport no_such_package',
      },
    });
    await using served = await serve(project.folder, python);
    await eventually('the graphs', () => served.states.at(-1)?.state === 'ready');
    const failed = (await served.runtime.ready()).graph('agent');
    assert.match(
      failed?.status === 'failed' ? failed.error.message : '',
      /agent\.py imports 'no_such_package', which is not installed in .*\. Run this in .* install (--python \S+ )?no_such_package$/,
    );
  });

  it('whose selected Python does not run is not served, and says why', async () => {
    await using project = await pythonProject({ python });
    await using served = await serve(project.folder, './missing');
    const state = served.states.at(-1);
    assert.ok(state?.state === 'failed');
    assert.match(state.message, /The selected Python .*missing does not run/);
  });

  async function makeBareEnvironment(folder: string): Promise<void> {
    const { execFile } = await import('node:child_process');
    const { promisify } = await import('node:util');
    await promisify(execFile)(await pythonEnvironment(LINE), ['-m', 'venv', '--without-pip', folder]);
  }
});

function port(server: Server): number {
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
