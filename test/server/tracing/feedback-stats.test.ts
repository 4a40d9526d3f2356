import assert from 'node:assert/strict';
import { emptyStats, finishStats } from '../../../src/server/tracing/feedback/read-feedback.ts';

describe('statistics of feedback', () => {
  it('are correct for any number of scores', () => {
    const stats = emptyStats();
    finishStats(
      stats,
      Array.from({ length: 300_000 }, (_, at) => at % 2),
    );
    assert.deepEqual([stats.avg, stats.min, stats.max, stats.stdev], [0.5, 0, 1, 0.5]);
  });
});
