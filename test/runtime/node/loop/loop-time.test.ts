import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { heldMsBetween, readLoopTime, recentLoopTime } from '../../../../src/runtime/node/loop/loop-time.ts';
import { skip } from '../../../support/skip.ts';
import { patience } from '../../../support/wait.ts';

const MODULE = new URL('../../../../src/runtime/node/loop/loop-time.ts', import.meta.url).href;

describe('the time for which an event loop is blocked', () => {
  it('includes computing and synchronous waits', function () {
    this.timeout(30_000);
    const then = readLoopTime();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const waited = readLoopTime();
    assert.ok(heldMsBetween(then, waited) >= 200);
    // Until it has run for this long, however long others have the CPU.
    const until = performance.now() + 20_000 * patience;
    while (heldMsBetween(waited, readLoopTime()) < 200)
      assert.ok(performance.now() < until, 'code that computes is counted');
  });

  it('is measured again only after some time', () => {
    const first = readLoopTime();
    const soon = recentLoopTime(first, 60_000);
    assert.deepEqual([soon.waitedMs, soon.askedAt], [first.waitedMs, first.askedAt]);
    assert.ok(soon.at >= first.at);
    const late = recentLoopTime(soon, 0);
    assert.ok(late.askedAt >= soon.at);
    assert.ok(recentLoopTime(undefined, 60_000).askedAt >= late.askedAt);
  });

  it('does not include the time for which others had its CPU', async function () {
    this.timeout(60_000);
    if (readLoopTime().waitedMs === 0) skip(this, 'the system does not tell, as only Linux does');
    // All programs that compute on this machine get at most a third of a CPU each.
    const code = `
      import { heldMsBetween, readLoopTime } from ${JSON.stringify(MODULE)};
      const then = readLoopTime();
      for (const until = performance.now() + 3_000; performance.now() < until; );
      const now = readLoopTime();
      console.log(JSON.stringify([now.at - then.at, heldMsBetween(then, now)]));`;
    const held = await Promise.all(
      Array.from({ length: 3 * availableParallelism() }, async (): Promise<[number, number]> => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
        let text = '';
        child.stdout.on('data', (chunk) => {
          text += chunk;
        });
        await once(child, 'close');
        return JSON.parse(text);
      }),
    );
    const sum = (which: 0 | 1) => held.reduce((total, times) => total + times[which], 0);
    assert.ok(sum(1) < 0.7 * sum(0), `held for ${sum(1)} ms of ${sum(0)}`);
  });
});
