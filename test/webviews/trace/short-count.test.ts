import assert from 'node:assert/strict';
import { shortCount } from '../../../src/webviews/trace/short-count.ts';

describe('a count in the trace panel', () => {
  it('is shortened to few characters', () => {
    for (const [count, text] of [
      [950, '950'],
      [1_234, '1.2k'],
      [34_000, '34k'],
      [1_200_000, '1.2M'],
      [12_300_000, '12M'],
      [999_400_000, '999M'],
      [999_500_000, '1.0B'],
      [2_000_000_000, '2.0B'],
      [34_000_000_000, '34B'],
    ] as const)
      assert.equal(shortCount(count), text);
  });
});
