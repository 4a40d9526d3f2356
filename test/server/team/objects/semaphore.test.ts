import assert from 'node:assert/strict';
import { Semaphore } from '../../../../src/server/team/objects/semaphore.ts';

describe('permits of a semaphore', () => {
  it('are given to no more at once than there are, in order', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const all = ends.map(({ promise }, at) =>
      semaphore.run({}, async () => {
        begun.push(at);
        await promise;
      }),
    );
    await settled();
    assert.deepEqual(begun, [0, 1]);
    ends[1]?.reject(new Error('failed'));
    await assert.rejects(all[1] ?? Promise.resolve(), /failed/);
    await settled();
    assert.deepEqual(begun, [0, 1, 2]);
    for (const { resolve } of ends) resolve();
    await Promise.allSettled(all);
    assert.deepEqual(begun, [0, 1, 2, 3]);
  });

  it('are not given to those that have stopped waiting', async () => {
    const semaphore = new Semaphore(1);
    const first = Promise.withResolvers<void>();
    const holding = semaphore.run({}, () => first.promise);
    const given = new AbortController();
    const givenUp = semaphore.run({ signal: given.signal }, () => Promise.reject(new Error('it had a turn')));
    given.abort(new Error('given up'));
    await assert.rejects(givenUp, /given up/);
    first.resolve();
    await holding;
    assert.equal(await semaphore.run({}, async () => 'next'), 'next');
    await assert.rejects(
      semaphore.run({ signal: given.signal }, async () => 'late'),
      /given up/,
    );
  });

  it('tell those that wait about the progress', async () => {
    const semaphore = new Semaphore(1);
    const first = Promise.withResolvers<void>();
    let tell = () => {};
    const holding = semaphore.run({}, (onProgress) => {
      tell = onProgress;
      return first.promise;
    });
    let reports = 0;
    const waiting = semaphore.run({ onProgress: () => reports++ }, async () => 'done');
    await settled();
    tell();
    tell();
    assert.equal(reports, 2);
    first.resolve();
    await holding;
    assert.equal(await waiting, 'done');
  });
});

/** Waits until no immediate work is left. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
