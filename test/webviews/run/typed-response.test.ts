import assert from 'node:assert/strict';
import { guessType, readResponse } from '../../../src/webviews/run/typed-response.ts';

describe('a typed response to an interrupt', () => {
  it('stays a text when a text is requested, whatever it looks like', () => {
    for (const text of ['42', 'true', 'null', '"quoted"', '[1]', '{"a": 1}', 'Pier 3']) {
      assert.equal(guessType(text, true), 'text');
      assert.deepEqual(readResponse(text, 'text'), { value: text });
    }
  });

  it('is JSON when a value is requested and it is JSON, or begins like it', () => {
    for (const text of ['42', ' true', 'null', '"quoted"', '[1]', '{"a": '])
      assert.equal(guessType(text, false), 'json');
    for (const text of ['42 piers', 'trueish', 'Pier 3', '', '- one'])
      assert.equal(guessType(text, false), 'text');
  });

  it('is the value of its JSON, or an error with what is wrong', () => {
    assert.deepEqual(readResponse('42', 'json'), { value: 42 });
    assert.ok('problem' in readResponse('{"a": ', 'json'));
    assert.ok('problem' in readResponse('  ', 'text'));
  });
});
