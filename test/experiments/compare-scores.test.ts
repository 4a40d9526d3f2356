import assert from 'node:assert/strict';
import { compareOutcomes, type Outcome } from '../../src/experiments/compare-scores.ts';
import { spreadOf } from '../../src/experiments/spread.ts';

function outcome(scores: Record<string, readonly number[]>, failed = 0, runs = 2): Outcome {
  const spreads = Object.entries(scores).flatMap(([key, numbers]) => {
    const spread = spreadOf(numbers);
    return spread === undefined ? [] : [[key, spread] as const];
  });
  return { scores: Object.fromEntries(spreads), failed, runs };
}

const none: ReadonlySet<string> = new Set();

describe('scores of two experiments', () => {
  it('improve or regress by the mean over the repetitions', () => {
    const before = outcome({ up: [0, 0], down: [1, 1], same: [0.1, 0.2] });
    const after = outcome({ up: [0, 1], down: [1, 0], same: [0.2, 0.1] });
    assert.deepEqual(compareOutcomes(before, after, none), {
      up: 'improved',
      down: 'regressed',
      same: 'same',
    });
  });

  it('improve when they fall, where the lower score is the better one', () => {
    const changes = compareOutcomes(
      outcome({ toxicity: [0.5] }),
      outcome({ toxicity: [0.1] }),
      new Set(['toxicity']),
    );
    assert.deepEqual(changes, { toxicity: 'improved' });
  });

  it('regress when every run failed, and improve when none does any longer', () => {
    const scored = outcome({ correct: [0] });
    const failed = outcome({}, 2);
    assert.deepEqual(compareOutcomes(scored, failed, none), { correct: 'regressed' });
    assert.deepEqual(compareOutcomes(failed, scored, none), { correct: 'improved' });
  });

  it('are not compared where one of them was not given, or the example was not run', () => {
    const scored = outcome({ correct: [1] });
    assert.deepEqual(compareOutcomes(scored, outcome({}, 1), none), {});
    assert.deepEqual(compareOutcomes(scored, undefined, none), {});
    assert.deepEqual(compareOutcomes(undefined, scored, none), {});
  });
});
