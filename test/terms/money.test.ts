import assert from 'node:assert/strict';
import { money } from '../../src/terms/money.ts';

describe('an amount of dollars', () => {
  it('has cents, or two significant digits below ten cents, without an exponent', () => {
    const amounts = [1.3, 0.1, 0.0042, 0.00125, 0.000012345, 1.23e-7, 1e-7, 0];
    assert.deepEqual(amounts.map(money), [
      ...['$1.30', '$0.10', '$0.0042', '$0.0013', '$0.000012', '$0.00000012', '$0.0000001', '$0'],
    ]);
  });
});
