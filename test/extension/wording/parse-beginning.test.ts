import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseBeginning } from '../../../src/extension/wording/parse-beginning.ts';

describe('the beginning of a JSON text', () => {
  it('is read up to where it was cut', () => {
    assert.deepEqual(parseBeginning('{"messages":[{"role":"user","content":"How do I pur'), {
      messages: [{ role: 'user', content: 'How do I pur' }],
    });
    assert.deepEqual(parseBeginning('{"a":[1,2,{"b":"c"}],"d":{"e'), { a: [1, 2, { b: 'c' }], d: {} });
    assert.deepEqual(parseBeginning('{"a":"x","b":12.'), { a: 'x' });
    assert.deepEqual(parseBeginning('["caf\\u00'), ['caf']);
    assert.equal(parseBeginning('words'), undefined);
  });

  it('is an object or a list wherever the text was cut, and the whole value if it was not', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        assert.deepEqual(parseBeginning(text), JSON.parse(text));
        const cut = text.slice(0, 1 + (at % text.length));
        assert.equal(typeof parseBeginning(cut), 'object', cut);
      }),
    );
  });
});
