import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { holdBack } from '../../../../src/server/runtimes/process/hold-back.ts';
import { WorkClock } from '../../../../src/server/runtimes/process/work-clock.ts';

const MEGABYTE = Buffer.alloc(1_048_576);

describe('a runtime that is held back', () => {
  function heldPipe() {
    const pipe = new PassThrough({ highWaterMark: 64 * MEGABYTE.length });
    const clock = new WorkClock();
    const database: { back: Promise<void> | undefined } = { back: undefined };
    holdBack(pipe, clock, () => database.back);
    let read = 0;
    pipe.on('data', (chunk: Buffer) => {
      read += chunk.length;
    });
    const write = async (megabytes: number) => {
      for (let at = 0; at < megabytes; at++) {
        pipe.write(MEGABYTE);
        await turn();
      }
    };
    return { clock, database, write, read: () => read / MEGABYTE.length };
  }

  it('is read while its output can be stored, however much it is', async () => {
    const { write, read } = heldPipe();
    await write(32);
    assert.equal(read(), 32);
  });

  it('is read up to a limit while nothing can be stored, with its clock stopped, and completely after that', async () => {
    const { clock, database, write, read } = heldPipe();
    const { promise, resolve } = Promise.withResolvers<void>();
    database.back = promise;
    await write(3);
    assert.equal(read(), 3);
    assert.equal(clock.isStopped, false);
    await write(13);
    assert.equal(read(), 4);
    assert.equal(clock.isStopped, true);
    database.back = undefined;
    resolve();
    for (let turns = 0; turns < 20; turns++) await turn();
    assert.equal(read(), 16);
    assert.equal(clock.isStopped, false);
    await write(8);
    assert.equal(read(), 24);
  });

  for (const isHeldFirst of [true, false]) {
    it(`does not start a clock that a debugger has stopped ${isHeldFirst ? 'meanwhile' : 'before'}`, async () => {
      const { clock, database, write, read } = heldPipe();
      const { promise, resolve } = Promise.withResolvers<void>();
      database.back = promise;
      if (isHeldFirst) await write(5);
      const resume = clock.stop();
      if (!isHeldFirst) await write(5);
      database.back = undefined;
      resolve();
      for (let turns = 0; turns < 20; turns++) await turn();
      assert.equal(read(), 5);
      assert.equal(clock.isStopped, true);
      resume();
      assert.equal(clock.isStopped, false);
    });
  }
});
