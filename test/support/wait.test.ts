import assert from 'node:assert/strict';
import { eventually, FinalFailure } from './wait.ts';

describe('waiting for something', () => {
  it('reads again while reading throws or the value is not accepted', async () => {
    let reads = 0;
    const read = () => {
      reads++;
      if (reads === 1) throw new Error('not yet');
      return reads;
    };
    assert.equal(await eventually('the third', read, (value) => value === 3), 3);
  });

  it('ends at once when it can no longer succeed', async () => {
    let reads = 0;
    const read = () => {
      reads++;
      throw new FinalFailure('it is gone');
    };
    await assert.rejects(eventually('what is gone', read), /^FinalFailure: it is gone$/);
    assert.equal(reads, 1);
  });
});
