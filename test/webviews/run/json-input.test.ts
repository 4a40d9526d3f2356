import assert from 'node:assert/strict';
import { parseJson } from '../../../src/webviews/run/json-input.ts';

describe('JSON that a person typed', () => {
  it('is read', () => {
    assert.deepEqual(parseJson('{"topic": "tides"}'), { value: { topic: 'tides' } });
    assert.deepEqual(parseJson('null'), { value: null });
  });

  it('is refused with its line and column when it is none', () => {
    assert.deepEqual(parseJson('{\n  "topic": tides\n}'), {
      problem: 'This is no valid JSON: line 2, column 12: invalid symbol.',
    });
    assert.deepEqual(parseJson('{"a": 1,}'), {
      problem: 'This is no valid JSON: line 1, column 9: property name expected.',
    });
  });

  it('is asked for when there is nothing', () => {
    assert.deepEqual(parseJson('  '), { problem: 'Type some JSON, such as {}.' });
  });
});
