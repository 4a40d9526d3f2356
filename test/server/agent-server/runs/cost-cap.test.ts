import assert from 'node:assert/strict';
import { capSentence } from '../../../../src/server/agent-server/runs/cost-cap.ts';

describe('the error of a run that has reached its cap', () => {
  it('shows amounts as they are, however large or small', () => {
    const amounts = (cost: number, cap: number) =>
      capSentence({ of: 'run', cap }, cost).match(/\$[\d,.]+\d/g);
    assert.deepEqual(amounts(10_004, 10_000), ['$10,004.00', '$10,000.00']);
    assert.deepEqual(amounts(0.5, 0.000_25), ['$0.50', '$0.00025']);
  });
});
