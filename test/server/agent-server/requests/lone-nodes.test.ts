import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Dispatcher } from 'undici';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { RequestError } from '../../../../src/client/request-error.ts';
import { runNode } from '../../../../src/client/run-node.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

/** Reports its start and its cancellation. */
const PATIENT = `
import { setTimeout as delay } from 'node:timers/promises';
import { Annotation, START, StateGraph } from '@langchain/langgraph';

export const patient = new StateGraph(Annotation.Root({ told: Annotation<string> }))
  .addNode('wait', async (_state, { signal }) => {
    console.log('waits');
    await delay(60_000, undefined, { signal }).catch(() => console.log('was told to stop'));
    return { told: 'stop' };
  })
  .addNode('spin', () => {
    process.stdout.write('spins\\n');
    for (;;);
  })
  .addNode('rest', () => ({ told: 'rested' }))
  .addEdge(START, 'wait')
  .addEdge(START, 'spin')
  .addEdge(START, 'rest')
  .compile();
`;

const graphs = {
  agent: './chat.ts:agent',
  fan_out: './basic.ts:fanOut',
  nested: './interrupts.ts:nested',
  one_node: './basic.ts:oneNode',
  patient: './patient.ts:patient',
  router: './interrupts.ts:router',
  with_zod: './shapes.ts:withZod',
};

describe('a node that runs alone', function () {
  this.timeout(60_000);
  let served: ServedProject;
  let dispatcher: Dispatcher;
  let client: Client;
  before(async () => {
    served = await serveProject({ files: { 'patient.ts': PATIENT }, config: { graphs } });
    dispatcher = createDispatcher({});
    const { url: deploymentUrl, platformUrl: baseUrl, apiKey } = served;
    client = new Client({ dispatcher, connection: localConnection({ baseUrl, apiKey, deploymentUrl }) });
  });
  after(async () => {
    await dispatcher.close();
    await served[Symbol.asyncDispose]();
  });

  it('gets the input that its checkpoint recorded, with the context of its run, and changes nothing', async () => {
    const thread_id = await ran('with_zod', { question: 'Why?' }, { model: 'large' });
    const [place] = await places(thread_id, 'answer');
    const before = await history(thread_id);
    const read = await client.nodes.nodeInput({ body: place });
    assert.deepEqual(read, {
      graph_id: 'with_zod',
      checkpoint_id: place.checkpoint_id,
      input: { question: 'Why?' },
      recorded: { update: { question: 'Why? (large)', count: 1 } },
    });
    const { status, result } = await runNode(client, place);
    assert.deepEqual([status, result], ['success', read.recorded]);
    const edited = await runNode(client, { ...place, input: { question: 'When?' } });
    assert.deepEqual(edited.result.update, { question: 'When? (large)', count: 1 });
    assert.deepEqual(await history(thread_id), before);
    const runs = await client.runs.list({ params: { thread_id }, query: {} });
    assert.equal(runs.length, 1);
  });

  it('is found by its task alone, as spans name it', async () => {
    const thread_id = await ran('fan_out', { words: ['a', 'bcd'] });
    const [, second] = await places(thread_id, 'measure');
    const { node, task_id } = second ?? assert.fail();
    const { result } = await runNode(client, { thread_id, node, task_id });
    assert.deepEqual(result, { update: { lengths: [3] } });
  });

  it('can be kept, as an update of its node from which the thread continues', async () => {
    const thread_id = await ran('router', { topic: 'left' });
    const [place] = await places(thread_id, 'choose');
    const { checkpoint_id } = place;
    const { result, is_command } = await runNode(client, {
      ...place,
      input: { topic: 'right', answers: [] },
    });
    assert.deepEqual([is_command, result.goto], [true, ['right']]);
    const command = { update: result.update, goto: result.goto };
    const updates = [{ as_node: 'choose', command }];
    await client.nodes.keepResult({ body: { thread_id, checkpoint_id, updates } });
    const { next, values, parent_checkpoint } = await client.threads.getState({ params: { thread_id } });
    assert.deepEqual(next, ['right']);
    assert.deepEqual(values, { topic: 'left', answers: ['chose'] });
    assert.equal(parent_checkpoint?.checkpoint_id, checkpoint_id);
  });

  it('can be kept with the writes of the other nodes of its superstep', async () => {
    const thread_id = await ran('fan_out', { words: ['a', 'bcd'] });
    const [first] = await places(thread_id, 'measure');
    const { result } = await runNode(client, { ...first, input: { words: ['four'] } });
    const updates = [result.update, { lengths: [3] }].map((values) => ({ as_node: 'measure', values }));
    await client.nodes.keepResult({ body: { thread_id, checkpoint_id: first.checkpoint_id, updates } });
    const { values } = await client.threads.getState({ params: { thread_id } });
    assert.deepEqual(values, { words: ['a', 'bcd'], lengths: [4, 3] });
  });

  it('can be kept in a subgraph', async () => {
    const thread_id = await ran('nested', { topic: 'tea' });
    const { tasks } = await client.threads.getState({ params: { thread_id } });
    const checkpoint_ns = tasks[0]?.checkpoint?.checkpoint_ns ?? assert.fail();
    const [place] = await places(thread_id, 'inner_ask', checkpoint_ns);
    const { status, result } = await runNode(client, place);
    assert.deepEqual([status, result], ['interrupted', { interrupts: ['Is tea fine?'] }]);
    const updates = [{ as_node: 'inner_ask', values: { answers: ['kept'] } }];
    const { checkpoint_id } = place;
    await client.nodes.keepResult({ body: { thread_id, checkpoint_ns, checkpoint_id, updates } });
    const params = { thread_id };
    const checkpoint = { thread_id, checkpoint_ns };
    const inner = await client.threads.getStateAtCheckpoint({ params, body: { checkpoint } });
    assert.deepEqual(inner.next, ['inner_end']);
  });

  it('is refused with the reason when it cannot run', async () => {
    const thread_id = await ran('one_node', { value: 1 });
    await assert.rejects(runNode(client, { thread_id, node: 'gone' }), {
      message: "Graph 'one_node' no longer has a node 'gone'. Its nodes: add.",
    });
    const checkpoint_id = randomUUID();
    await assert.rejects(
      client.nodes.nodeInput({ body: { thread_id, node: 'add', checkpoint_id } }),
      (error) =>
        error instanceof RequestError && error.status === 404 && error.message.includes(checkpoint_id),
    );
    await assert.rejects(runNode(client, { thread_id, node: 'add' }), {
      message: "The input of node 'add' was not recorded. Enter it as JSON.",
    });
    await assert.rejects(runNode(client, { node: 'add', input: {} }), { message: /graph_id/ });
  });

  it('runs the code as it is now', async () => {
    const thread_id = await ran('one_node', { value: 1 });
    const [place] = await places(thread_id, 'add');
    const file = path.join(served.project.folder, 'basic.ts');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('(value ?? 0) + 1', '(value ?? 0) + 100'));
    const result = await eventually(
      'the graphs are reloaded',
      async () => (await runNode(client, place)).result,
      ({ update }) => JSON.stringify(update) === '{"value":101}',
      20_000,
    );
    assert.deepEqual(result, { update: { value: 101 } });
    const { recorded } = await client.nodes.nodeInput({ body: place });
    assert.deepEqual(recorded, { update: { value: 2 } });
  });

  it('is canceled when its caller leaves', async () => {
    const leaving = new AbortController();
    const place = { graph_id: 'patient', node: 'wait', input: {} };
    const running = runNode(client, place, { signal: leaving.signal });
    const left = assert.rejects(running);
    await logged('waits');
    leaving.abort();
    await left;
    await logged('was told to stop');
  });

  it('is killed with its process when it does not notice that it was canceled', async () => {
    const leaving = new AbortController();
    const place = { graph_id: 'patient', node: 'spin', input: {} };
    const left = assert.rejects(runNode(client, place, { signal: leaving.signal }));
    await logged('spins');
    leaving.abort();
    await left;
    const { result } = await eventually(
      'the graphs to be there again',
      () => runNode(client, { graph_id: 'patient', node: 'rest', input: {} }).catch(() => undefined),
      (ran) => ran !== undefined,
      40_000,
    ).then((ran) => ran ?? assert.fail());
    assert.deepEqual(result, { update: { told: 'rested' } });
  });

  it('has reducers that the state over time names', async () => {
    const reducers = await client.nodes.reducers({ params: { graph_id: 'agent' } });
    assert.deepEqual(reducers, { messages: 'messagesStateReducer' });
  });

  function logged(line: string): Promise<unknown> {
    return eventually(`the log says "${line}"`, async () => (await served.log()).includes(line), Boolean);
  }

  async function ran(
    assistant_id: string,
    input: object,
    context?: Record<string, unknown>,
  ): Promise<string> {
    const { thread_id } = await client.threads.create({ body: {} });
    const body = { assistant_id, input, ...(context && { context }) };
    await client.runs.wait({ params: { thread_id }, body });
    return thread_id;
  }

  /** The tasks of a node, the newest first. */
  async function places(thread_id: string, node: string, checkpoint_ns = '') {
    const states = await client.threads.history({
      params: { thread_id },
      body: { limit: 100, checkpoint: { thread_id, checkpoint_ns } },
    });
    const found = states.flatMap(({ tasks, checkpoint }) => {
      const checkpoint_id = checkpoint.checkpoint_id ?? '';
      const own = tasks.filter(({ name }) => name === node);
      return own.map(({ id }) => ({ thread_id, checkpoint_ns, checkpoint_id, task_id: id, node }));
    });
    const [first, ...others] = found;
    assert.ok(first !== undefined, `No checkpoint has a task of ${node}.`);
    return [first, ...others] as const;
  }

  async function history(thread_id: string): Promise<unknown> {
    return client.threads.history({ params: { thread_id }, body: { limit: 100 } });
  }
});
