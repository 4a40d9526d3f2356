import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { IdleMemory } from '../../src/process/idle-memory.ts';
import { eventually } from '../support/wait.ts';

/** A heap that has always grown by more than the threshold. */
function growing(): () => number {
  let bytes = 0;
  return () => (bytes += 10_000_000);
}

describe('the memory of a process', () => {
  it('is released when nothing has been running for a while', async () => {
    const memory = new IdleMemory(undefined, 1);
    const left: WeakRef<object>[] = [];
    assert.equal(await memory.after(sleep(1).then(() => left.push(new WeakRef({ some: 'garbage' })))), 1);
    await eventually('the garbage is collected', async () => left[0]?.deref() === undefined);
    assert.equal('gc' in globalThis, process.execArgv.includes('--expose-gc'));
  });

  it('is not collected during work, and released after it each time', async () => {
    let times = 0;
    const memory = new IdleMemory(() => times++, 1, 1_500, growing());
    const work = Promise.withResolvers<void>();
    const under = memory.after(work.promise);
    await assert.rejects(memory.after(Promise.reject(new Error('failed'))), /failed/);
    await sleep(20);
    assert.equal(times, 0);
    work.resolve();
    await under;
    await eventually('it is collected', async () => times === 1);
    await memory.after('at once');
    await eventually('it is collected again', async () => times === 2);
  });

  it('is released three times, and no more, when nothing runs', async () => {
    let times = 0;
    const memory = new IdleMemory(() => times++, 1, 5);
    await memory.after('work');
    await eventually('it is collected three times', async () => times === 3);
    await sleep(30);
    assert.equal(times, 3);
  });

  it('is released once nothing postpones it any more', async () => {
    let times = 0;
    const memory = new IdleMemory(() => times++, 20, 5);
    await memory.after('loading');
    for (let at = 0; at < 50; at++) {
      await sleep(1);
      memory.putOff();
    }
    assert.equal(times, 0);
    await eventually('it is collected three times', async () => times === 3);
    memory.putOff();
    await sleep(60);
    assert.equal(times, 3, 'nothing is due any more');
  });

  it('is left alone by further collections when work has begun since the first', async () => {
    let times = 0;
    const memory = new IdleMemory(() => times++, 1, 500, growing());
    await memory.after('work');
    await eventually('it is collected', async () => times === 1);
    const work = Promise.withResolvers<void>();
    const under = memory.after(work.promise);
    await sleep(600);
    assert.equal(times, 1);
    work.resolve();
    await under;
    await eventually('it is collected after that', async () => times > 1);
  });

  it('is kept, with its compiled code, until there is enough garbage', async () => {
    let times = 0;
    let bytes = 50_000_000;
    const collect = () => {
      times++;
      bytes = 20_000_000;
    };
    const memory = new IdleMemory(collect, 1, 1, () => bytes);
    await memory.after('loading');
    await eventually('it is collected three times', async () => times === 3);
    for (let run = 0; run < 5; run++) {
      bytes += 1_000_000;
      await memory.after('a run');
      await sleep(20);
    }
    assert.equal(times, 3);
    bytes += 3_000_000;
    await memory.after('one more');
    await eventually('it is collected again', async () => times === 6);
  });
});
