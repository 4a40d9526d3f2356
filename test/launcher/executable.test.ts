import assert from 'node:assert/strict';
import { checkExecutable, missingParts, thisExecutable } from '../../src/launcher/executable.ts';
import { LaunchError } from '../../src/launcher/launch-error.ts';

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
