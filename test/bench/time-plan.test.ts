import assert from 'node:assert/strict';
import { type Measurement, turns } from '../../bench/harness/measurement.ts';
import { TimePlan } from '../../bench/harness/time-plan.ts';

const peer = { once: 10, round: 5 };
const measurement = (name: string): Measurement => ({ name, takes: turns(5, 5, peer), run: async () => [] });

describe('the time plan of the benchmark', () => {
  const [first, second] = [measurement('first'), measurement('second')] as const;
  const plan = (seconds: number) =>
    new TimePlan({ measurements: [first, second], subjects: ['ours', 'peer'], rounds: 10, seconds });

  it('makes as many rounds as fit, all measurements the same number, and at least one', () => {
    assert.equal(plan(1_000).rounds(first), 10);
    assert.equal(plan(110).rounds(first), 4);
    assert.equal(plan(110).seconds(4), 110);
    assert.equal(plan(110).seconds(4, [second]), 55);
    assert.equal(plan(1).rounds(first), 1);
    assert.equal(plan(Number.POSITIVE_INFINITY).rounds(first), 10);
  });

  it('makes fewer rounds on a machine that turns out to be slow, and more on a fast one', () => {
    const slow = plan(110);
    slow.took(first, 4, 70);
    assert.equal(slow.rounds(second), 1);
    assert.equal(Math.round(slow.seconds(1, [second])), 32);
    const fast = plan(110);
    fast.took(first, 4, 11);
    assert.equal(fast.rounds(second), 10);
  });
});
