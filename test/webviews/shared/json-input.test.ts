import assert from 'node:assert/strict';
import { parseJson } from '../../../src/webviews/shared/json-input.ts';

/** The message about a text that is not JSON. */
function problemOf(text: string): string {
  const read = parseJson(text);
  return 'problem' in read ? read.problem : `read as ${JSON.stringify(read.value)}`;
}

describe('JSON that a person typed', () => {
  it('is parsed', () => {
    assert.deepEqual(parseJson('{"topic": "tides"}'), { value: { topic: 'tides' } });
    assert.deepEqual(parseJson('null'), { value: null });
  });

  it('is refused with the line and column of the error, and a sentence that says what to do', () => {
    assert.match(
      problemOf('{\n  "topic": tides\n}'),
      /^Line 2, column 12: “tides” is not valid JSON\. Strings must be in/,
    );
    assert.match(problemOf('{"a": 1,}'), /^Line 1, column 9: There is a comma before the “}”/);
    assert.match(problemOf('{"messages": [}'), /This array is not closed/);
    assert.match(problemOf('{"messages": [1 }'), /This array is not closed/);
    assert.match(problemOf('[{"role": "user" ]'), /^Line 1, column 18: This object is not closed: “}” is/);
    assert.match(problemOf('[{]'), /This object is not closed/);
    assert.match(problemOf('[1,]'), /A value is missing before the “]”/);
    assert.match(problemOf('{"a": }'), /A value is missing before the “}”\.$/);
    assert.match(problemOf('{"a" 1}'), /A colon is missing/);
    assert.match(problemOf('[1 2]'), /A comma is missing/);
    assert.match(problemOf('{"a": 1'), /This object is not closed/);
    assert.match(problemOf('[1, 2'), /This array is not closed/);
    assert.match(problemOf('{} {}'), /Remove the text after/);
    assert.match(problemOf('// no\n{}'), /JSON does not allow comments/);
    assert.match(problemOf('"open'), /This string is not closed/);
    assert.match(problemOf('"\\q"'), /A backslash can be followed only by/);
    assert.match(problemOf('{a: 1}'), /“a” is not valid JSON|The name of a property/);
  });

  it('never shows a message of the parser itself', () => {
    const broken = [
      '{',
      '[',
      '{"a"',
      '{"a":',
      '{"a":1',
      '[1,',
      '"',
      '"\\u12"',
      '-',
      '1e',
      '{]',
      '}',
      ',',
      '"\n"',
      'nul',
    ];
    for (const text of broken) assert.doesNotMatch(problemOf(text), /Expected|InvalidSymbol|^read as/, text);
  });

  it('is asked for when the field is empty', () => {
    assert.deepEqual(parseJson('  '), { problem: 'Enter JSON, for example {}.' });
  });
});
