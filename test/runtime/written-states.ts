import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CheckpointRef, StateUpdate } from '../../src/runtime/protocol/protocol.ts';
import type { RuntimeHost } from '../support/runtime/runtime-host.ts';

/** Writes into states of threads through a runtime. */
export function stateUpdate(host: () => RuntimeHost) {
  return (
    graphId: string,
    threadId: string,
    supersteps: StateUpdate[][],
    checkpoint: CheckpointRef | null = null,
  ) =>
    host().connection.request('state.update', {
      graph_id: graphId,
      thread_id: threadId,
      config: {},
      context: {},
      checkpoint,
      supersteps,
    });
}

/** The writes of each checkpoint, as the runtimes of both languages report them. */
export function tellsWhatWasWritten(host: () => RuntimeHost): void {
  const update = stateUpdate(host);

  it('shows what each node wrote in each step, and the input', async () => {
    const { threadId } = await host().run('approval', { topic: 'x' });
    await host().run('approval', null, { thread_id: threadId, command: { resume: 'yes' } });
    assert.deepEqual(await host().writes('approval', threadId), [
      { publish: { answers: ['published'] } },
      { ask: { answers: ['yes'] } },
      { draft: { answers: ['draft of x'] } },
      {},
      { __start__: { topic: 'x' } },
    ]);
    await host().run('approval', { topic: 'y' }, { thread_id: threadId });
    const [, , again] = await host().writes('approval', threadId);
    assert.deepEqual(again, { __start__: { topic: 'y' } });
  });

  it('shows the writes of several tasks of one node as a list', async () => {
    const { threadId } = await host().run('fan_out', { words: ['a', 'bcd'] });
    const [writes] = (await host().writes('fan_out', threadId)) as { measure: object[] }[];
    assert.deepEqual(Object.keys(writes ?? {}), ['measure']);
    assert.deepEqual(writes?.measure, [{ lengths: [1] }, { lengths: [3] }]);
  });

  it('shows which node an update was written as, even in branches of one checkpoint', async () => {
    const threadId = randomUUID();
    const given = await update('approval', threadId, [
      [{ values: { topic: 'old' }, as_node: '__input__' }],
      [{ values: { topic: 'old' }, as_node: '__start__' }],
      [{ values: { answers: ['by hand'] }, as_node: 'draft' }],
      [{ command: { update: { answers: ['commanded'] } }, as_node: 'ask' }],
    ]);
    const steps = [
      { ask: { answers: ['commanded'] } },
      { draft: { answers: ['by hand'] } },
      { __start__: { topic: 'old' } },
      { __start__: { topic: 'old' } },
    ];
    assert.deepEqual(await host().writes('approval', threadId), steps);
    const from = host().checkpoints.get(threadId, '', given.checkpoint.checkpoint_id)?.parent_checkpoint_id;
    await update('approval', threadId, [[{ values: { answers: ['else'] }, as_node: 'ask' }]], {
      checkpoint_id: from ?? '',
    });
    assert.deepEqual(await host().writes('approval', threadId), [{ ask: { answers: ['else'] } }, ...steps]);
  });

  it('shows the node of an update without as_node', async () => {
    const { threadId } = await host().run('ten_nodes', { value: 0 });
    await update('ten_nodes', threadId, [[{ values: { value: 100 } }]]);
    const [writes] = await host().writes('ten_nodes', threadId);
    assert.deepEqual(writes, { step10: { value: 100 } });
    const made = randomUUID();
    await update('ten_nodes', made, [[{ values: { value: 5 } }]]);
    assert.deepEqual(await host().writes('ten_nodes', made), [{ __start__: { value: 5 } }]);
  });

  it('shows the writes in branches of copies', async () => {
    const { threadId } = await host().run('two_questions', { topic: 'x' });
    await update('two_questions', threadId, [
      [
        {
          values: [
            [{ answers: ['L'] }, 'left'],
            [{ answers: ['R'] }, 'right'],
          ],
          as_node: '__copy__',
        },
      ],
    ]);
    const [updated, copied] = await host().writes('two_questions', threadId);
    assert.deepEqual([updated, copied], [{ left: { answers: ['L'] }, right: { answers: ['R'] } }, {}]);
  });

  it('shows the writes in interrupted subgraphs, at any depth', async () => {
    const { threadId } = await host().run('deep', { topic: 'x' });
    const state = Snapshot.parse(await host().state('deep', threadId, true, []));
    const [child] = state.tasks;
    const [below] = child?.state?.tasks ?? [];
    assert.deepEqual(
      [state, child?.state, below?.state].map((shown) => shown?.metadata.writes),
      [{}, { open: { answers: ['opened'] } }, { look: { answers: ['looked'] } }],
    );
  });
}

const Snapshot = z.object({
  metadata: z.looseObject({ writes: z.unknown() }),
  get tasks() {
    return z.array(z.object({ state: Snapshot.nullable() }));
  },
});
