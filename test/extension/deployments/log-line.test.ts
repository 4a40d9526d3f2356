import assert from 'node:assert/strict';
import { logLine } from '../../../src/extension/deployments/log-line.ts';

describe('a line of a log', () => {
  it('has the time that its server gave it, in local time', () => {
    const time = new Date(2026, 10, 22, 9, 5, 7, 41).getTime();
    assert.equal(logLine(time, 'INFO', 'It is live.\n'), '2026-11-22 09:05:07.041 [info] It is live.');
  });

  it('has the text of a line that a server in a container logged as JSON', () => {
    const line = '{"level":50,"time":1,"path":"/runs","msg":"no answer","err":{"message":"timed out"}}';
    assert.match(logLine(Date.now(), 'ERROR', line), / \[error\] no answer: timed out path=\/runs$/);
  });

  it('names its level as VS Code does', () => {
    const levels = ['DEBUG', 'INFO', undefined, 'WARNING', 'ERROR', 'CRITICAL'];
    assert.deepEqual(
      levels.map((level) => /\[(\w+)\]/.exec(logLine(Date.now(), level, ''))?.[1]),
      ['debug', 'info', 'info', 'warning', 'error', 'error'],
    );
  });
});
