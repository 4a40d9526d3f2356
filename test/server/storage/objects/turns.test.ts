import assert from 'node:assert/strict';
import { Turns } from '../../../../src/server/storage/objects/turns.ts';

describe('turns at a folder of objects', () => {
  it('are given to no more at once than there are, in order', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const all = ends.map(({ promise }, at) =>
      turns.take({}, async () => {
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
    const turns = new Turns(1);
    const first = Promise.withResolvers<void>();
    const holding = turns.take({}, () => first.promise);
    const given = new AbortController();
    const givenUp = turns.take({ signal: given.signal }, () => Promise.reject(new Error('it had a turn')));
    given.abort(new Error('given up'));
    await assert.rejects(givenUp, /given up/);
    first.resolve();
    await holding;
    assert.equal(await turns.take({}, async () => 'next'), 'next');
    await assert.rejects(
      turns.take({ signal: given.signal }, async () => 'late'),
      /given up/,
    );
  });

  it('let those that wait hear of what goes on', async () => {
    const turns = new Turns(1);
    const first = Promise.withResolvers<void>();
    let tell = () => {};
    const holding = turns.take({}, (heard) => {
      tell = heard;
      return first.promise;
    });
    let heard = 0;
    const waiting = turns.take({ heard: () => heard++ }, async () => 'done');
    await settled();
    tell();
    tell();
    assert.equal(heard, 2);
    first.resolve();
    await holding;
    assert.equal(await waiting, 'done');
  });
});

/** Until nothing is left to do at once. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
