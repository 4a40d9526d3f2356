import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { RpcError } from '../../src/runtime/protocol/connection.ts';
import type { CheckpointTuple, NodeParams } from '../../src/runtime/protocol/protocol.ts';
import type { RuntimeHost } from '../support/runtime/runtime-host.ts';

interface Task {
  readonly id: string;
  readonly name: string;
}

/** Tests of single nodes for the runtimes of both languages. */
export function runsLoneNodes(host: () => RuntimeHost): void {
  it('runs a node with its recorded input, and stores nothing', async () => {
    const { threadId } = await host().run('nested', { topic: 'tea' });
    const [node] = await nodesNamed('nested', threadId, 'before');
    const stored = storedIn(threadId);
    assert.deepEqual(await input(node), {
      input: { topic: 'tea', answers: [] },
      recorded: { update: { answers: ['before'] }, goto: ['child'] },
    });
    assert.deepEqual(await run(node), {
      status: 'success',
      result: { update: { answers: ['before'] }, goto: ['child'] },
      is_command: false,
    });
    assert.equal(storedIn(threadId), stored);
  });

  it('gives a node another input, with messages as messages', async () => {
    const { threadId } = await host().run('agent', { messages: [{ type: 'human', content: 'Hi', id: 'q' }] });
    const [node] = await nodesNamed('agent', threadId, 'model');
    const recorded = (await input(node)) as { input: { messages: object[] } };
    const messages = [
      ...recorded.input.messages,
      { type: 'ai', content: 'Yes?' },
      { type: 'human', content: 'weather in Oslo' },
    ];
    const { status, result } = await run(node, { messages });
    assert.equal(status, 'success', JSON.stringify(result));
    assert.deepEqual(Object.keys(result), ['update', 'goto']);
    assert.deepEqual(result.goto, ['tools']);
  });

  it('runs each task of a Send with the input that it was sent', async () => {
    const { threadId } = await host().run('fan_out', { words: ['a', 'bcd'] });
    const nodes = await nodesNamed('fan_out', threadId, 'measure');
    assert.deepEqual(await Promise.all(nodes.map(input)), [
      { input: { words: ['a'] }, recorded: { update: { lengths: [1] } } },
      { input: { words: ['bcd'] }, recorded: { update: { lengths: [3] } } },
    ]);
    const { result } = await run(nodes[1], { words: ['four', 'x'] });
    assert.deepEqual(result, { update: { lengths: [4, 1] } });
  });

  it('shows the nodes that a node sends to', async () => {
    const words = ['a', 'bcd'];
    const { threadId } = await host().run('spread', { words });
    const [node] = await nodesNamed('spread', threadId, 'cut');
    const expected = {
      update: { lengths: [0] },
      goto: words.map((word) => ({ node: 'measure', input: { words: [word] } })),
    };
    assert.deepEqual(((await input(node)) as { recorded: unknown }).recorded, expected);
    assert.deepEqual(await run(node), { status: 'success', result: expected, is_command: false });
  });

  it('shows where a command leads, and runs nothing there', async () => {
    const { threadId } = await host().run('router', { topic: 'left' });
    const [node] = await nodesNamed('router', threadId, 'choose');
    assert.deepEqual(await run(node), {
      status: 'success',
      result: { update: { answers: ['chose'] }, goto: ['left'] },
      is_command: true,
    });
    const { result } = await run(node, { topic: 'right', answers: [] });
    assert.deepEqual(result, { update: { answers: ['chose'] }, goto: ['right'] });
  });

  it('shows the question of a node, and gives it the recorded answers', async () => {
    const { threadId } = await host().run('approval', { topic: 'x' });
    const [asking] = await nodesNamed('approval', threadId, 'ask');
    const { status, result } = await run(asking);
    assert.deepEqual([status, result], ['interrupted', { interrupts: [{ question: 'Publish x?' }] }]);
    await host().run('approval', null, { thread_id: threadId, command: { resume: 'yes' } });
    const answered = (await nodesNamed('approval', threadId, 'ask')).at(-1);
    const expected = { update: { answers: ['yes'] }, goto: ['publish'] };
    assert.deepEqual(((await input(answered)) as { recorded: unknown }).recorded, expected);
    assert.deepEqual(await run(answered), { status: 'success', result: expected, is_command: false });
  });

  it('runs a node of a subgraph', async () => {
    const { threadId } = await host().run('deep', { topic: 'tea' });
    const namespace = host()
      .checkpoints.list({ thread_id: threadId })
      .find((each) => each.checkpoint_ns.includes('|'));
    const [node] = await nodesNamed('deep', threadId, 'look', namespace?.checkpoint_ns);
    assert.deepEqual(await run(node), {
      status: 'success',
      result: { update: { answers: ['looked'] }, goto: ['wonder'] },
      is_command: false,
    });
  });

  it('runs a node that is a subgraph, up to its question', async () => {
    const { threadId } = await host().run('nested', { topic: 'tea' });
    const [node] = await nodesNamed('nested', threadId, 'child');
    const { status, result } = await run(node, { topic: 'coffee', answers: [] });
    assert.deepEqual([status, result], ['interrupted', { interrupts: ['Is coffee fine?'] }]);
  });

  it('shows the command from a node of a subgraph to the graph around it', async () => {
    const params = { ...lone('handing', randomUUID(), 'hand', null), checkpoint_ns: 'child:1' };
    const { status, result, is_command } = await run(params, { words: [] });
    assert.deepEqual([status, result], ['success', { update: { words: ['handed'] }, goto: ['last'] }]);
    assert.equal(is_command, true);
  });

  it('shows the error of a node', async () => {
    const { threadId } = await host().run('throws', {});
    const [tuple] = host().checkpoints.list({ thread_id: threadId });
    const { status, result, error } = await run(lone('throws', threadId, 'fail', tuple ?? null));
    assert.equal(status, 'error');
    assert.equal(result.error, 'RangeError: The node failed on purpose.');
    assert.ok(error?.location !== undefined);
  });

  it('runs a node without a checkpoint, with the input that is given', async () => {
    const { result } = await run(lone('nested', randomUUID(), 'before', null), { topic: 'tea', answers: [] });
    assert.deepEqual(result, { update: { answers: ['before'] }, goto: ['child'] });
  });

  it('lists the existing nodes if a node was removed, and asks for an input that is not known', async () => {
    const gone = lone('nested', randomUUID(), 'removed', null);
    await assert.rejects(
      run(gone),
      rejection("Graph 'nested' no longer has a node 'removed'. Its nodes: before, child, after."),
    );
    const unknown = { ...gone, node: 'inner_ask', checkpoint_ns: 'renamed:1' };
    await assert.rejects(run(unknown), rejection("Graph 'nested' no longer has a subgraph at 'renamed'."));
    await assert.rejects(
      run({ ...gone, node: 'before' }),
      rejection("The input of node 'before' was not recorded. Enter it as JSON."),
    );
  });

  it('stops a node that is canceled', async () => {
    const params = lone('slow', randomUUID(), 'work', null);
    const run_id = randomUUID();
    const running = host().connection.request('node.run', { run_id, node: params, input: '{"ms": 60000}' });
    const cancelling = setInterval(() => void host().connection.request('run.cancel', { run_id }), 100);
    try {
      assert.equal((await running).status, 'cancelled');
    } finally {
      clearInterval(cancelling);
    }
  });

  it('names the reducers of a state', async () => {
    const of = (graph_id: string) =>
      host().connection.request('graph.reducers', { graph_id, config: {}, context: {} });
    assert.deepEqual(Object.keys(await of('one_node')), []);
    assert.deepEqual(Object.keys(await of('approval')), ['answers']);
    assert.match((await of('agent')).messages ?? '', /^(messagesStateReducer|add_messages|_add_messages)$/);
  });

  function rejection(message: string) {
    return (error: unknown) => error instanceof RpcError && error.message === message;
  }

  /** The tasks of a node in a thread, the newest checkpoint first, in the order in which LangGraph prepares them. */
  async function nodesNamed(graph_id: string, thread_id: string, node: string, checkpoint_ns = '') {
    const tuples = host().checkpoints.list({ thread_id, checkpoint_ns });
    const { states } = await host().connection.request('state.history', {
      graph_id,
      thread_id,
      config: {},
      context: {},
      tuples,
    });
    return states.flatMap((text, index) => {
      const tasks: Task[] = JSON.parse(text).tasks;
      const own = tasks.filter(({ name }) => name === node);
      return own.map(({ id }) => ({
        ...lone(graph_id, thread_id, node, tuples[index] ?? null),
        task_id: id,
        checkpoint_ns,
      }));
    });
  }

  function lone(
    graph_id: string,
    thread_id: string,
    node: string,
    start_from: CheckpointTuple | null,
  ): NodeParams {
    return { graph_id, thread_id, config: {}, context: {}, node, checkpoint_ns: '', start_from };
  }

  async function input(node: NodeParams | undefined): Promise<object> {
    assert.ok(node !== undefined, 'The node is in no checkpoint.');
    const read = await host().connection.request('node.input', node);
    return { input: JSON.parse(read.input ?? 'null'), recorded: JSON.parse(read.recorded ?? 'null') };
  }

  async function run(node: NodeParams | undefined, given?: unknown) {
    assert.ok(node !== undefined, 'The node is in no checkpoint.');
    const params = { run_id: randomUUID(), node, input: given === undefined ? null : JSON.stringify(given) };
    const ran = await host().connection.request('node.run', params);
    const result: Record<string, unknown> = JSON.parse(ran.result);
    return { ...ran, result };
  }

  function storedIn(thread_id: string): string {
    return JSON.stringify(host().checkpoints.list({ thread_id }));
  }
}
