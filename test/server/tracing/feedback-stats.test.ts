import assert from 'node:assert/strict';
import { statsByKey } from '../../../src/server/tracing/feedback/feedback-stats.ts';

describe('statistics of feedback', () => {
  it('are correct for any number of scores', () => {
    const rows = Array.from({ length: 300_000 }, (_, at) => ({
      name: 'good',
      score: at % 2,
      value: null,
      comment: null,
      source: null,
    }));
    const { good } = statsByKey(rows);
    assert.deepEqual([good?.n, good?.avg, good?.min, good?.max, good?.stdev], [300_000, 0.5, 0, 1, 0.5]);
  });
});
