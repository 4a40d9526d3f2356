import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { RpcError } from '../../../../src/runtime/protocol/connection.ts';
import type { CheckpointTuple } from '../../../../src/runtime/protocol/protocol.ts';
import { type GraphProject, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';
import { STATE_FIELDS } from '../../../support/runtime/state-fields.ts';
import { runsLoneNodes } from '../../lone-nodes.ts';
import { stateUpdate, tellsWhatWasWritten } from '../../written-states.ts';

interface Task {
  name: string;
  checkpoint: { checkpoint_ns: string } | null;
  state: { values: unknown; next: string[]; tasks: Task[] } | null;
  interrupts: { value: unknown }[];
}

for (const line of langgraphLines) {
  describe(`the state of a thread on ${line}`, () => {
    let project: GraphProject;
    let host: RuntimeHost;

    before(async () => {
      project = await graphProject({ line });
      project.graphs.unstorable = { path: './basic.ts:unstorable' };
      project.graphs.spread = { path: './routes.ts:spread' };
      project.graphs.handing = { path: './routes.ts:handing' };
      host = new RuntimeHost({ project });
      await host.initialize();
    });
    after(async () => {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    });

    const update = stateUpdate(() => host);
    const askHistory = (graph_id: string, thread_id: string, tuples: CheckpointTuple[]) =>
      host.connection.request('state.history', {
        ...{ graph_id, thread_id, tuples },
        ...{ config: {}, context: {}, parents: [] },
      });

    it('is empty for a thread that has none', async () => {
      const state = await host.state('one_node', randomUUID());
      assert.deepEqual([state.values, state.next, state.tasks], [{}, [], []]);
    });

    it('has every field clients read', async () => {
      const run = await host.run('approval', { topic: 'news' });
      const state = await host.state('approval', run.threadId);
      assert.deepEqual(Object.keys(state).sort(), STATE_FIELDS);
      assert.deepEqual(state.values, { topic: 'news', answers: ['draft of news'] });
      assert.equal(state.checkpoint_id, run.state?.checkpoint_id);
      const checkpoint = state.checkpoint as Record<string, unknown>;
      assert.equal(checkpoint.thread_id, run.threadId);
      assert.equal(checkpoint.checkpoint_ns, '');
      assert.equal(checkpoint.checkpoint_id, state.checkpoint_id);
      const { thread_id, graph_id, checkpoint_id, source, step } = state.metadata as Record<string, unknown>;
      assert.deepEqual(
        [thread_id, graph_id, checkpoint_id, source, step],
        [run.threadId, 'approval', state.checkpoint_id, 'loop', 1],
      );
      const [task] = state.tasks as Task[];
      assert.equal(task?.name, 'ask');
      assert.deepEqual(task?.interrupts[0]?.value, { question: 'Publish news?' });
      assert.deepEqual(state.interrupts, task?.interrupts);
      assert.equal(Object.keys(JSON.parse(run.state?.interrupts ?? ''))[0], (task as { id?: string })?.id);
    });

    it('is read without requesting the newest checkpoint', async () => {
      const run = await host.run('one_node', { value: 1 });
      const asked = host.asked.length;
      await host.state('one_node', run.threadId);
      assert.equal(host.asked.length, asked);
    });

    it('can be read and continued when a value could not be stored', async () => {
      const { threadId } = await host.run('unstorable', {});
      assert.deepEqual((await host.state('unstorable', threadId)).values, { kept: 1 });
      assert.equal((await host.run('unstorable', {}, { thread_id: threadId })).status, 'success');
    });

    it('shows the state of interrupted subgraphs', async () => {
      const run = await host.run('nested', { topic: 'tea' });
      const flat = (await host.state('nested', run.threadId)) as { tasks: Task[] };
      const [named] = flat.tasks;
      assert.match(named?.checkpoint?.checkpoint_ns ?? '', /^child:/);
      assert.equal(named?.state, null);
      const deep = (await host.state('nested', run.threadId, true)) as { tasks: Task[] };
      const [shown] = deep.tasks;
      assert.deepEqual(shown?.state?.next, ['inner_ask']);
      assert.equal(shown?.state?.tasks[0]?.interrupts[0]?.value, 'Is tea fine?');

      const { state } = await host.connection.request('state.get', {
        graph_id: 'nested',
        thread_id: run.threadId,
        config: {},
        context: {},
        checkpoint: { checkpoint_ns: named?.checkpoint?.checkpoint_ns ?? '' },
        subgraphs: false,
        start_from: null,
      });
      assert.deepEqual(JSON.parse(state).next, ['inner_ask']);
    });

    it('can be read at an earlier checkpoint', async () => {
      const run = await host.run('ten_nodes', { value: 0 });
      const tuple = host.checkpoints.list({ thread_id: run.threadId })[5];
      const { state } = await host.connection.request('state.get', {
        graph_id: 'ten_nodes',
        thread_id: run.threadId,
        config: {},
        context: {},
        checkpoint: { checkpoint_id: tuple?.checkpoint_id ?? '' },
        subgraphs: false,
        start_from: tuple ?? null,
      });
      assert.deepEqual(JSON.parse(state).values, { value: 5 });
      assert.deepEqual(JSON.parse(state).next, ['step6']);
    });

    it('changes in a history after something was written to its checkpoint', async () => {
      const { threadId } = await host.run('approval', { topic: 'news' });
      const history = async (tuples: CheckpointTuple[]) => {
        const { states, repeatable } = await askHistory('approval', threadId, tuples);
        assert.equal(repeatable, true);
        return states.map((text) => JSON.parse(text));
      };
      const [newest, ...older] = host.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' });
      assert(newest !== undefined);
      const waiting = await history([newest, ...older]);
      assert.deepEqual(await history([newest, ...older]), waiting);
      const value = { type: 'json', encoding: 'utf8', data: '"broken"' } as const;
      const write = {
        task_id: waiting[0].tasks[0].id,
        task_path: '',
        index: -1,
        channel: '__error__',
        value,
      };
      const failed = { ...newest, pending_writes: [...newest.pending_writes, write] };
      const [told, ...others] = await history([failed, ...older]);
      assert.equal(waiting[0].tasks[0].error, null);
      assert.match(told.tasks[0].error, /broken/);
      assert.deepEqual(others, waiting.slice(1));
    });

    it('may differ each time where a factory makes the graph', async () => {
      const { threadId } = await host.run('factory', { name: 'Ada' });
      const tuples = host.checkpoints.list({ thread_id: threadId, checkpoint_ns: '' });
      const { states, repeatable } = await askHistory('factory', threadId, tuples);
      assert.equal(states.length, tuples.length);
      assert.equal(repeatable, false);
    });

    it('is created from supersteps, the first of which is the input', async () => {
      const threadId = randomUUID();
      const { checkpoint, state } = await update('approval', threadId, [
        [{ values: { topic: 'old' }, as_node: '__input__' }],
        [{ values: { topic: 'old' }, as_node: '__start__' }],
        [{ values: { answers: ['drafted elsewhere'] }, as_node: 'draft' }],
      ]);
      assert.deepEqual(JSON.parse(state.values), { topic: 'old', answers: ['drafted elsewhere'] });
      assert.deepEqual(state.next, ['ask']);
      assert.equal(state.checkpoint_id, checkpoint.checkpoint_id);
      assert.equal(checkpoint.thread_id, threadId);
      assert.equal(host.checkpoints.list({ thread_id: threadId }).length, 3);
      const run = await host.run('approval', null, { thread_id: threadId });
      assert.equal(run.status, 'interrupted');
    });

    it('takes several updates in one superstep, and commands', async () => {
      const run = await host.run('two_questions', { topic: 'x' });
      const { state } = await update('two_questions', run.threadId, [
        [
          { values: { answers: ['L'] }, as_node: 'left' },
          { values: { answers: ['R'] }, as_node: 'right' },
        ],
      ]);
      assert.deepEqual(JSON.parse(state.values).answers.toSorted(), ['L', 'R', 'middle']);
      assert.deepEqual(state.next, []);
      const routed = await update('router', randomUUID(), [
        [{ values: { topic: 'left' }, as_node: '__start__' }],
        [{ command: { goto: 'left', update: { answers: ['sent'] } }, as_node: 'choose' }],
      ]);
      assert.deepEqual(routed.state.next, ['left']);
      assert.deepEqual(JSON.parse(routed.state.values).answers, ['sent']);
    });

    it('is changed at an earlier checkpoint as a new branch', async () => {
      const run = await host.run('ten_nodes', { value: 0 });
      const at = host.checkpoints.list({ thread_id: run.threadId })[4]?.checkpoint_id ?? '';
      const { state } = await update(
        'ten_nodes',
        run.threadId,
        [[{ values: { value: 100 }, as_node: 'step6' }]],
        { checkpoint_id: at },
      );
      assert.deepEqual([state.values, state.next], ['{"value":100}', ['step7']]);
    });

    tellsWhatWasWritten(() => host);
    runsLoneNodes(() => host);

    it('fails a lone node that would end the process', async () => {
      const params = { graph_id: 'exits', thread_id: randomUUID(), config: {}, context: {} };
      const node = { ...params, node: 'exit', checkpoint_ns: '', start_from: null };
      const { status, error } = await host.connection.request('node.run', {
        run_id: randomUUID(),
        node,
        input: '{}',
      });
      assert.deepEqual([status, error?.name], ['error', 'ProcessExitError']);
    });

    it('refuses an update as a node that does not exist', async () => {
      await assert.rejects(
        update('one_node', randomUUID(), [[{ values: { value: 1 }, as_node: 'nobody' }]]),
        (error: unknown) => {
          assert.ok(error instanceof RpcError);
          assert.match(error.message, /nobody/);
          assert.equal((error.data as { name: string }).name, 'InvalidUpdateError');
          return true;
        },
      );
    });
  });
}
