import assert from 'node:assert/strict';
import { durationOf } from '../../src/terms/durations.ts';

describe('a duration', () => {
  it('is in milliseconds below a second, with a decimal when it is short', () => {
    assert.deepEqual(durationOf(0.44), { unit: 'ms', value: '0.4' });
    assert.deepEqual(durationOf(-0.2), { unit: 'ms', value: '0' });
    assert.deepEqual(durationOf(9), { unit: 'ms', value: '9' });
    assert.deepEqual(durationOf(840.4), { unit: 'ms', value: '840' });
  });

  it('is in seconds with three digits below a minute', () => {
    assert.deepEqual(durationOf(999.6), { unit: 's', value: '1.00' });
    assert.deepEqual(durationOf(1_240), { unit: 's', value: '1.24' });
    assert.deepEqual(durationOf(9_996), { unit: 's', value: '10.0' });
    assert.deepEqual(durationOf(12_340), { unit: 's', value: '12.3' });
  });

  it('is in minutes and seconds from a minute on, never in 60 seconds', () => {
    assert.deepEqual(durationOf(59_960), { unit: 'min', minutes: 1, seconds: 0 });
    assert.deepEqual(durationOf(125_000), { unit: 'min', minutes: 2, seconds: 5 });
    assert.deepEqual(durationOf(119_700), { unit: 'min', minutes: 2, seconds: 0 });
  });
});
