import assert from 'node:assert/strict';
import { millisecondsOf } from '../../src/extension/panels/trace/read-spans.ts';

describe('a time of a span', () => {
  it('is read to the microsecond', () => {
    assert.equal(millisecondsOf('1970-01-01T00:00:01.234567+00:00'), 1234.567);
    assert.equal(millisecondsOf('1970-01-01T00:00:01.2345Z'), 1234.5);
  });

  it('is UTC without an offset', () => {
    assert.equal(millisecondsOf('1970-01-01T00:00:01'), 1000);
    assert.equal(millisecondsOf('1970-01-01T02:00:01+02:00'), 1000);
  });

  it('is undefined when the span has none', () => {
    assert.deepEqual(
      [millisecondsOf(null), millisecondsOf(''), millisecondsOf('soon')],
      [undefined, undefined, undefined],
    );
  });
});
