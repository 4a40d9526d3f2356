import assert from 'node:assert/strict';
import { Bus } from '../../../src/server/storage/bus.ts';

describe('the bus', () => {
  const { signal } = new AbortController();
  /** Which of these have been woken by now. */
  async function whichOf(waiting: Record<string, Promise<void>>): Promise<string[]> {
    const woken: string[] = [];
    for (const [name, one] of Object.entries(waiting)) void one.then(() => woken.push(name));
    await new Promise((resolve) => setImmediate(resolve));
    return woken;
  }

  it('wakes all that wait for a topic, and no others', async () => {
    const bus = new Bus();
    const waiting = {
      first: bus.next('thread:a', signal),
      second: bus.next('thread:a', signal),
      other: bus.next('thread:b', signal),
    };
    bus.hint('thread:a');
    assert.deepEqual(await whichOf(waiting), ['first', 'second']);
  });

  it('wakes none that comes after the hint', async () => {
    const bus = new Bus();
    bus.hint('thread:a');
    const late = bus.next('thread:a', signal);
    assert.deepEqual(await whichOf({ late }), []);
    bus.hint('thread:a');
    assert.deepEqual(await whichOf({ late }), ['late']);
  });

  it('wakes the one that gives up, and leaves the others waiting', async () => {
    const bus = new Bus();
    const gone = new AbortController();
    const waiting = { gone: bus.next('thread:a', gone.signal), stays: bus.next('thread:a', signal) };
    gone.abort();
    assert.deepEqual(await whichOf(waiting), ['gone']);
    assert.deepEqual(await whichOf({ at_once: bus.next('thread:a', gone.signal) }), ['at_once']);
    bus.hint('thread:a');
    assert.deepEqual(await whichOf({ stays: waiting.stays }), ['stays']);
  });
});
