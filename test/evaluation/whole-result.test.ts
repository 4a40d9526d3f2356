import assert from 'node:assert/strict';
import type { Verdict } from '../../src/evaluation/verdict.ts';
import { hasPassedWhole, isWhole } from '../../src/evaluation/whole-result.ts';

describe('a dataset that was run', () => {
  const file = { examples: ['one', 'two'] };
  const result = (...verdicts: Verdict[]) => ({
    file,
    stopped: undefined,
    results: verdicts.map((verdict) => ({ verdict })),
  });

  it('is judged as a whole only when every example was run', () => {
    assert.equal(isWhole(result('passed')), false);
    assert.equal(isWhole(result('passed', 'failed')), true);
  });

  it('passes as a whole only when all examples do', () => {
    assert.equal(hasPassedWhole(result('passed')), false);
    assert.equal(hasPassedWhole(result('passed', 'failed')), false);
    assert.equal(hasPassedWhole(result('passed', 'passed')), true);
  });
});
