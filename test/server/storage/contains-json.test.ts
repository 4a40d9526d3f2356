import assert from 'node:assert/strict';
import fc from 'fast-check';
import { containsJson } from '../../../src/server/storage/contains-json.ts';

describe('containment of JSON', () => {
  it('requires at least the keys of the pattern', () => {
    assert.equal(containsJson({ a: 1, b: { c: [1, 2], d: null } }, { b: { c: [2] } }), true);
    assert.equal(containsJson({ a: 1 }, { a: 2 }), false);
    assert.equal(containsJson({ a: 1 }, { toString: 1 }), false);
    assert.equal(containsJson([1], { 0: 1 }), false);
  });

  it('holds between every document and itself', () => {
    fc.assert(fc.property(fc.jsonValue(), (document) => containsJson(document, document)));
  });

  it('holds between every object and the empty one', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => containsJson(document, {})),
    );
  });
});
