import assert from 'node:assert/strict';
import { failureInLog } from '../../src/launcher/failure-in-log.ts';

describe("the failure in a server's log", () => {
  it('are its last error', () => {
    const log = [
      '{"level":30,"msg":"starting"}',
      '{"level":50,"msg":"the server failed","err":{"message":"disk full"}}',
      '{"level":30,"msg":"ending"}',
    ].join('\n');
    assert.equal(failureInLog(log), 'the server failed: disk full');
  });

  it('are the message of an uncaught error, not its stack', () => {
    const log =
      'node:internal:1\n  throw err;\n\nTypeError: no such thing\n    at file:1:2\n\nNode.js v24.0.0';
    assert.equal(failureInLog(log), 'TypeError: no such thing');
  });

  it('are its last line when nothing went wrong', () => {
    assert.equal(failureInLog('one\ntwo\n'), 'two');
    assert.equal(failureInLog(''), undefined);
  });
});
