import assert from 'node:assert/strict';
import { readSeconds } from '../../src/process/read-seconds.ts';

describe('a number of seconds in a variable', () => {
  it('may be a fraction, and is undefined when the variable is missing or empty', () => {
    assert.equal(readSeconds('WAIT', { WAIT: '1.5' }), 1.5);
    for (const environment of [{}, { WAIT: '' }]) assert.equal(readSeconds('WAIT', environment), undefined);
  });

  it('is refused by the name of the variable unless it is between 0 and a day', () => {
    for (const given of ['0', '-1', '2 minutes', 'Infinity', '86401', ' '])
      assert.throws(
        () => readSeconds('WAIT', { WAIT: given }),
        new RegExp(`^Error: WAIT must be a number of seconds .*'${given}'`),
      );
  });
});
