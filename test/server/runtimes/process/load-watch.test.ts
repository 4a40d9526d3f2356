import assert from 'node:assert/strict';
import { LoadWatch } from '../../../../src/server/runtimes/process/load-watch.ts';
import { WorkClock } from '../../../../src/server/runtimes/process/work-clock.ts';

/**
 * The number of checks after which a process is stopped if it uses the processor at the first `working`
 * checks.
 */
async function giveUp(working: number, limit: { quietMs: number; silentMs: number }) {
  const stuck = Promise.withResolvers<string>();
  let looks = 0;
  let cpuMs = 0;
  const look = async () => {
    looks++;
    if (looks <= working) cpuMs += 1_000;
    return cpuMs;
  };
  new LoadWatch(new WorkClock(), limit, look, stuck.resolve);
  return { how: await stuck.promise, looks };
}

describe('the time limit of loading', () => {
  it('counts the time in which nothing happens', async () => {
    const { how, looks } = await giveUp(10, { quietMs: 20, silentMs: 1_000 });
    assert.equal(how, 'has not done anything for 0.02 s');
    assert.equal(looks, 14);
  });

  it('ends work that never prints anything', async () => {
    const { how, looks } = await giveUp(Number.POSITIVE_INFINITY, { quietMs: 20, silentMs: 100 });
    assert.equal(how, 'has not printed anything for 0.1 s');
    assert.equal(looks, 20);
  });

  it('begins again with each line of output, also where the processor time is not known', async () => {
    const stuck = Promise.withResolvers<string>();
    let looks = 0;
    const look = async () => {
      looks++;
      if (looks === 3) watch.progress();
      return undefined;
    };
    const watch = new LoadWatch(new WorkClock(), { quietMs: 20, silentMs: 1_000 }, look, stuck.resolve);
    await stuck.promise;
    assert.equal(looks, 6);
  });
});
