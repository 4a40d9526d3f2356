import assert from 'node:assert/strict';
import { sizeOf } from '../../src/terms/sizes.ts';

describe('a size', () => {
  it('is in bytes below a thousand', () => {
    assert.deepEqual(sizeOf(0), { unit: 'bytes', value: 0 });
    assert.deepEqual(sizeOf(999), { unit: 'bytes', value: 999 });
  });

  it('has two digits or more in the largest unit of which it has at least one', () => {
    assert.deepEqual(sizeOf(1_240), { unit: 'KB', value: '1.2' });
    assert.deepEqual(sizeOf(12_400), { unit: 'KB', value: '12' });
    assert.deepEqual(sizeOf(999_499), { unit: 'KB', value: '999' });
    assert.deepEqual(sizeOf(999_600), { unit: 'MB', value: '1.0' });
    assert.deepEqual(sizeOf(3_400_000), { unit: 'MB', value: '3.4' });
    assert.deepEqual(sizeOf(9_960_000), { unit: 'MB', value: '10' });
    assert.deepEqual(sizeOf(5e15), { unit: 'TB', value: '5000' });
  });
});
