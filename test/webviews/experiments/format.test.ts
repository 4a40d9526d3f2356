import assert from 'node:assert/strict';
import { latencyText, scoreText, shareText } from '../../../src/webviews/experiments/format.ts';

describe('numbers in the experiments panel', () => {
  it('have their deviation, and one unit where both have the same', () => {
    assert.equal(latencyText({ mean: 1.5, deviation: 0.7 }), '1.5 ± 0.7 ms');
    assert.equal(latencyText({ mean: 1_240, deviation: 120 }), '1.24 s ± 120 ms');
    assert.equal(latencyText({ mean: 125_000, deviation: 3_000 }), '2 min 5 s ± 3.00 s');
    assert.equal(latencyText({ mean: 20 }), '20 ms');
    assert.equal(scoreText({ mean: 2 / 3, deviation: 0.577 }), '0.67 ± 0.58');
    assert.equal(scoreText({ mean: 1, deviation: 0 }), '1');
  });

  it('give less than a percent of runs as such, and nothing for no runs', () => {
    assert.deepEqual([0, 0.001, 0.254].map(shareText), ['', '<1%', '25%']);
  });
});
