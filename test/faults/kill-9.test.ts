import assert from 'node:assert/strict';
import { campaign } from './campaign.ts';

describe('servers and runtimes that are killed, at named points and at random, or asked to stop', function () {
  this.timeout(600_000);

  it('lose nothing that was acknowledged, and show every reader every event once', async () => {
    const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`      seed ${seed} (FAULT_SEED repeats it)`);
    const { acknowledged } = await campaign(Number(process.env.FAULT_KILLS ?? 10), seed);
    console.log(`      acknowledged: ${JSON.stringify(acknowledged)}`);
    assert.ok(acknowledged.runs > 0);
  });
});
