import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { untilAborted } from '../../src/process/until-aborted.ts';

describe('work that does not support a signal', () => {
  const never = new Promise<never>(() => {});

  it('is waited for until the signal is aborted', async () => {
    const stopping = new AbortController();
    const waiting = untilAborted(never, stopping.signal);
    const reason = new Error('enough');
    stopping.abort(reason);
    await assert.rejects(waiting, reason);
  });

  it('is not waited for when the signal is aborted already', async () => {
    const reason = new Error('enough');
    await assert.rejects(untilAborted(never, AbortSignal.abort(reason)), reason);
  });

  it('leaves no listener when it ends first, whether it succeeds or fails', async () => {
    const { signal } = new AbortController();
    assert.equal(await untilAborted(Promise.resolve(1), signal), 1);
    const failure = new Error('it failed');
    await assert.rejects(untilAborted(Promise.reject(failure), signal), failure);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});
