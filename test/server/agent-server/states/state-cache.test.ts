import assert from 'node:assert/strict';
import type { CheckpointTuple } from '../../../../src/runtime/protocol/protocol.ts';
import { TextCache } from '../../../../src/server/agent-server/data/text-cache.ts';
import { type Checkpoints, StateCache } from '../../../../src/server/agent-server/states/state-cache.ts';

const QUESTION = { graph_id: 'agent', thread_id: 'thread', config: {}, context: {} };

function tuple(at: number, writes = 0): CheckpointTuple {
  const value = { type: 'json', encoding: 'utf8', data: `${at}` } as const;
  return {
    thread_id: 'thread',
    checkpoint_ns: '',
    checkpoint_id: `id${at}`,
    parent_checkpoint_id: at === 0 ? null : `id${at - 1}`,
    checkpoint: value,
    channel_versions: { value: `${at}` },
    channel_values: { value },
    metadata: { source: 'loop' },
    pending_writes: Array.from({ length: writes }, (_, index) => ({
      task_id: 'task',
      task_path: '',
      index,
      channel: 'value',
      value,
    })),
  };
}

/**
 * Plays the runtime: records the requested checkpoints, and returns a different value for a state each time.
 */
function computing({ repeatable }: { repeatable?: boolean } = { repeatable: true }) {
  const asked: { tuples: string[]; parents: string[] }[] = [];
  const idsOf = (tuples: readonly CheckpointTuple[]) => tuples.map(({ checkpoint_id }) => checkpoint_id);
  const compute = async ({ tuples, parents }: Checkpoints) => {
    asked.push({ tuples: idsOf(tuples), parents: idsOf(parents) });
    const states = tuples.map(({ checkpoint_id }) => `${checkpoint_id} of question ${asked.length}`);
    return repeatable === undefined ? { states } : { states, repeatable };
  };
  return { asked, compute };
}

describe('the states that a runtime has computed', () => {
  it('are requested once, and only the newest when there is another one', async () => {
    const kept = new StateCache(new TextCache().part());
    const { asked, compute } = computing();
    const first = { tuples: [tuple(3), tuple(2)], parents: [tuple(1)] };
    const states = ['id3 of question 1', 'id2 of question 1'];
    assert.deepEqual(await kept.read(QUESTION, first, compute), states);
    assert.deepEqual(await kept.read(QUESTION, first, compute), states);
    const next = { tuples: [tuple(4), tuple(3)], parents: [tuple(2)] };
    assert.deepEqual(await kept.read(QUESTION, next, compute), ['id4 of question 2', states[0]]);
    assert.deepEqual(asked, [
      { tuples: ['id3', 'id2'], parents: ['id1'] },
      { tuples: ['id4'], parents: ['id3'] },
    ]);
  });

  it('are requested again when anything they are computed from has changed', async () => {
    const kept = new StateCache(new TextCache().part());
    const { asked, compute } = computing();
    const read = (question: typeof QUESTION, tuples: CheckpointTuple[], parents: CheckpointTuple[]) =>
      kept.read(question, { tuples, parents }, compute);
    await read(QUESTION, [tuple(2)], [tuple(1)]);
    await read(QUESTION, [tuple(2, 1)], [tuple(1)]);
    await read(QUESTION, [tuple(2)], [tuple(1, 1)]);
    await read(QUESTION, [tuple(2)], []);
    await read({ ...QUESTION, config: { tags: [] } }, [tuple(2)], [tuple(1)]);
    assert.equal(asked.length, 5);
    await read(QUESTION, [tuple(2)], [tuple(1)]);
    assert.equal(asked.length, 5);
  });

  it('are requested each time when the runtime may compute others', async () => {
    for (const options of [{ repeatable: false }, {}]) {
      const kept = new StateCache(new TextCache().part());
      const { asked, compute } = computing(options);
      const checkpoints = { tuples: [tuple(1)], parents: [tuple(0)] };
      assert.deepEqual(await kept.read(QUESTION, checkpoints, compute), ['id1 of question 1']);
      assert.deepEqual(await kept.read(QUESTION, checkpoints, compute), ['id1 of question 2']);
      assert.equal(asked.length, 2);
    }
  });

  it('are requested in full once the runtime has said of their graph that it may compute others', async () => {
    const kept = new StateCache(new TextCache().part());
    const { asked, compute } = computing({ repeatable: false });
    const first = { tuples: [tuple(2)], parents: [tuple(1), tuple(0)] };
    await kept.read(QUESTION, first, compute);
    await kept.read(QUESTION, first, compute);
    // The first request leaves out checkpoints that are not their parents; the next one is passed on
    // unchecked.
    assert.deepEqual(
      asked.map(({ parents }) => parents),
      [['id1'], ['id1', 'id0']],
    );
    await kept.read({ ...QUESTION, graph_id: 'other' }, first, compute);
    assert.deepEqual(asked.at(-1)?.parents, ['id1']);
  });

  it('are requested each time in a subgraph, about whose channels the runtime says nothing', async () => {
    const kept = new StateCache(new TextCache().part());
    const { asked, compute } = computing();
    const nested = { tuples: [{ ...tuple(1), checkpoint_ns: 'child:1' }], parents: [] };
    await kept.read(QUESTION, nested, compute);
    assert.deepEqual(await kept.read(QUESTION, nested, compute), ['id1 of question 2']);
    assert.equal(asked.length, 2);
  });

  it('are not answered when the runtime leaves one out', async () => {
    const kept = new StateCache(new TextCache().part());
    const compute = async () => ({ states: ['one'], repeatable: true });
    const checkpoints = { tuples: [tuple(2), tuple(1)], parents: [] };
    for (let time = 0; time < 2; time++)
      await assert.rejects(kept.read(QUESTION, checkpoints, compute), /answered 1 states of 2 checkpoints/);
  });

  it('are requested again from another process, whose code may differ', async () => {
    const texts = new TextCache();
    const { asked, compute } = computing();
    const checkpoints = { tuples: [tuple(1)], parents: [] };
    await new StateCache(texts.part()).read(QUESTION, checkpoints, compute);
    await new StateCache(texts.part()).read(QUESTION, checkpoints, compute);
    assert.equal(asked.length, 2);
  });
});
