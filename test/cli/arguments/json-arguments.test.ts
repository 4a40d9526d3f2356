import assert from 'node:assert/strict';
import { quotingHint, refuseUnquotedJson } from '../../../src/cli/arguments/json-arguments.ts';

describe('JSON on a command line', () => {
  it('is quoted for the shell, or sent on standard input on Windows, where shells remove its quotes', () => {
    assert.match(
      quotingHint('--input', 'win32'),
      /^PowerShell .*'\{"key": "value"\}' \| agent-harbor … --input -$/,
    );
    // `--context` cannot be read from standard input, so its quotes are escaped.
    assert.equal(
      quotingHint('--context', 'win32'),
      'Quote it for the shell: --context "{\\"key\\": \\"value\\"}".',
    );
    assert.equal(quotingHint('--input', 'linux'), `Quote it for the shell: --input '{"key": "value"}'.`);
  });

  it('that has lost its quotes is not sent as a message', () => {
    for (const text of ['{count: 3}', '{decisions:[{type:approve}]}'])
      assert.throws(() => refuseUnquotedJson(text, 'win32'), /lost its quotes.*--input -/);
  });

  it('is a message like any other if shells leave it unchanged, or if it is only text in braces', () => {
    refuseUnquotedJson('{count: 3}', 'linux');
    for (const text of ['{"count": 3}', '{name} is late', '[draft]', 'Say: {a: 1}'])
      refuseUnquotedJson(text, 'win32');
  });
});
