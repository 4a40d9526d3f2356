import assert from 'node:assert/strict';
import { WorkspaceStorage } from '../../../src/server/identity/workspace-storage.ts';

const TAKES_MS = 1_000;

/** A storage whose measurement returns bytes or fails, as `answer` says. */
function storage() {
  const state: { answer: number | Error; now: number; logged: unknown[][] } = {
    answer: 0,
    now: 0,
    logged: [],
  };
  const log =
    (level: string) =>
    ({ workspace_id }: { workspace_id: string }, line: string) =>
      state.logged.push([level, workspace_id, line]);
  const measured = new WorkspaceStorage({
    measure: () => {
      state.now += TAKES_MS;
      return state.answer instanceof Error ? Promise.reject(state.answer) : Promise.resolve(state.answer);
    },
    logger: { error: log('error'), info: log('info') },
    now: () => state.now,
  });
  const counts = () =>
    measured
      .readGauges(new Set())
      .find(({ name }) => name === 'harbor_workspace_measurements_total')
      ?.samples.map(({ labels, value }) => [labels?.outcome, value]);
  return { measured, state, counts };
}

describe('what a workspace stores, when it cannot be measured', () => {
  it('is reported once until it can be measured again, and counted each time', async () => {
    const { measured, state, counts } = storage();
    state.answer = new Error('invalid page in block 3');
    assert.equal(await measured.read('one', 10), undefined);
    state.now += 60_000;
    assert.equal(await measured.read('one', 10), undefined);
    assert.deepEqual(state.logged, [
      [
        'error',
        'one',
        'the storage of a workspace cannot be measured: its limit (max_storage_bytes) is not enforced until it can be measured',
      ],
    ]);
    assert.deepEqual(counts(), [
      ['measured', 0],
      ['failed', 2],
    ]);
    state.answer = 20;
    state.now += 60_000;
    assert.equal(await measured.read('one', 10), 20);
    assert.deepEqual(state.logged.slice(1), [
      ['info', 'one', 'the storage of a workspace can be measured again'],
    ]);
  });

  it('is assumed to be unchanged, and the log says so for each workspace', async () => {
    const { measured, state } = storage();
    state.answer = 20;
    assert.deepEqual([await measured.read('one', 10), await measured.read('two', 10)], [20, 20]);
    state.answer = new Error('away');
    // Another limit is compared with a new measurement.
    assert.deepEqual([await measured.read('one', 15), await measured.read('two', 15)], [20, 20]);
    const line =
      'the storage of a workspace cannot be measured: its limit (max_storage_bytes) is compared with the last measurement';
    assert.deepEqual(state.logged, [
      ['error', 'one', line],
      ['error', 'two', line],
    ]);
  });

  it('is not measured by each request, and less often where that takes long', async () => {
    const { measured, state, counts } = storage();
    state.answer = new Error('away');
    for (let at = 0; at < 19; at++) {
      assert.equal(await measured.read('one', 10), undefined);
      state.now += TAKES_MS;
    }
    assert.deepEqual(counts()?.at(-1), ['failed', 1]);
    state.now += TAKES_MS;
    await measured.read('one', 10);
    assert.deepEqual(counts()?.at(-1), ['failed', 2]);
  });

  it('is reported again when a limit is set again', async () => {
    const { measured, state } = storage();
    state.answer = new Error('away');
    await measured.read('one', 10);
    measured.forget('one');
    await measured.read('one', 10);
    assert.equal(state.logged.length, 2);
  });
});
