import assert from 'node:assert/strict';
import { isAbsolute, resolve } from 'node:path';
import { defaultDataDir } from '../../src/launcher/data-dir.ts';
import { checkExecutable, missingParts, thisExecutable } from '../../src/launcher/executable.ts';
import { failureInLog } from '../../src/launcher/failure-in-log.ts';
import { LaunchError } from '../../src/launcher/launch-error.ts';

describe('the data folder', () => {
  it('is the operating system’s default, the same for every client', () => {
    const folder = defaultDataDir({});
    assert.ok(isAbsolute(folder));
    assert.match(folder, /agent-harbor/);
    assert.equal(defaultDataDir({}), folder);
  });

  it('is taken from the environment if set', () => {
    assert.equal(defaultDataDir({ AGENT_HARBOR_DATA_DIR: 'elsewhere' }), resolve('elsewhere'));
  });
});

describe('the executable', () => {
  it('is the current one, and has the required features', () => {
    assert.equal(thisExecutable().command, process.execPath);
    assert.deepEqual(missingParts(), []);
    assert.deepEqual(missingParts('22.15.1'), ['full-text search in node:sqlite']);
    assert.deepEqual(missingParts('22.16.0'), []);
    assert.doesNotThrow(() => checkExecutable());
  });

  it('is refused with the features it lacks', () => {
    assert.throws(
      () => checkExecutable(['node:sqlite', 'zstd in node:zlib'], '20.19.0'),
      (error) =>
        error instanceof LaunchError &&
        error.message ===
          "Agent Harbor's server needs Node 22.16 or newer; this is Node 20.19.0, which lacks node:sqlite and zstd in node:zlib. Install a newer Node (npm install --global node@24), or use a terminal in VS Code, where agent-harbor includes its own.",
    );
  });
});

describe("the last words of a server's log", () => {
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
