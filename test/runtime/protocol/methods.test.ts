import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '../../../src/runtime/protocol/connection.ts';
import type { RuntimeRequests } from '../../../src/runtime/protocol/protocol.ts';
import {
  type PythonProject,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../../support/python-projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { patience } from '../../support/wait.ts';

const METHOD_NOT_FOUND = -32601;

const graph = { graph_id: 'one_node', config: {}, context: {} };
const thread = { ...graph, thread_id: 'a thread' };
const node = { ...thread, node: 'node', checkpoint_ns: '', start_from: null };
const url = 'http://127.0.0.1:9/';
const user = { identity: 'ada', permissions: [], fields: {} };

type Params = RuntimeRequests[keyof RuntimeRequests]['params'];

/** A request for each method that a runtime answers; TypeScript requires new methods here. */
const REQUESTS: {
  readonly [Method in keyof RuntimeRequests]: RuntimeRequests[Method]['params'] | undefined;
} = {
  // Answered before any of the others can be sent.
  initialize: undefined,
  'run.execute': {
    ...thread,
    run_id: 'a run',
    assistant_id: 'an assistant',
    attempt: 1,
    input: { value: 1 },
    command: null,
    checkpoint: null,
    start_from: null,
    stream_modes: ['values'],
    stream_subgraphs: false,
    durability: 'async',
  },
  'run.cancel': { run_id: 'a run' },
  'state.get': { ...thread, checkpoint: null, subgraphs: false, start_from: null },
  'state.history': { ...thread, tuples: [] },
  'state.update': { ...thread, checkpoint: null, supersteps: [[{ values: { value: 1 } }]] },
  'node.input': node,
  'node.run': { run_id: 'a node', node, input: null },
  'graph.reducers': graph,
  'graph.schemas': graph,
  'graph.draw': { ...graph, xray: false },
  'graph.subgraphs': { ...graph, recurse: false },
  'graph.locations': graph,
  'evaluators.list': { file: '/no/such/file.py' },
  'evaluators.run': { file: '/no/such/file.py', name: 'correct', run: {}, example: {} },
  'debugger.open': {},
  'debugger.close': {},
  'store.embed': { texts: ['a text'] },
  'http.request': { request_id: 'a request', method: 'GET', url, headers: [], body: null },
  'http.cancel': { request_id: 'a request' },
  'server.address': { url },
  'auth.authenticate': { method: 'GET', url, headers: [] },
  'auth.authorize': { resource: 'threads', action: 'read', user, value: {} },
  ping: {},
  // This ends the process, so it comes last.
  shutdown: {},
};

function isMethod(name: string): name is keyof RuntimeRequests {
  return name in REQUESTS;
}

describe('the Python runtime', () => {
  let project: PythonProject;
  let host: RuntimeHost;

  before(async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    project = await pythonProject({ python });
    host = new RuntimeHost(pythonRuntime(project));
    await host.initialize();
  });
  after(async () => {
    await host?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  /** `answered`, `unknown` or `silent`; a refusal with a reason counts as answered. */
  async function answer(method: keyof RuntimeRequests, params: Params): Promise<string> {
    const answered = host.connection.request(method, params).then(
      () => 'answered',
      (error: unknown) => {
        assert.ok(error instanceof RpcError, String(error));
        return error.code === METHOD_NOT_FOUND ? 'unknown' : 'answered';
      },
    );
    return Promise.race([answered, delay(20_000 * patience, 'silent', { ref: false })]);
  }

  for (const [method, params] of Object.entries(REQUESTS)) {
    if (params === undefined) continue;
    it(`answers ${method}, as the protocol requires of every runtime`, async () => {
      assert.ok(isMethod(method));
      assert.equal(await answer(method, params), 'answered');
    });
  }
});
