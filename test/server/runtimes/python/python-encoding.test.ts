import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inUtf8 } from '../../../../src/server/runtimes/python/python-encoding.ts';

const run = promisify(execFile);
const python = process.platform === 'win32' ? 'python' : 'python3';
/** A machine whose encoding is ASCII. */
const ASCII = { PATH: process.env.PATH ?? '', LC_ALL: 'C', PYTHONUTF8: '0', PYTHONCOERCECLOCALE: '0' };

describe('the output of Python to a pipe', () => {
  it('is UTF-8 whatever the encoding of the system, and never an error', async () => {
    const print = String.raw`print("fertig \u2713 Gr\u00fc\u00dfe \ud83d")`;
    const { stdout } = await run(python, ['-c', print], { env: inUtf8(ASCII) });
    assert.equal(stdout.trim(), String.raw`fertig ✓ Grüße \ud83d`);
  });

  it('is in the encoding that a project asks for', () => {
    assert.equal(inUtf8({ PYTHONIOENCODING: 'latin-1' }).PYTHONIOENCODING, 'latin-1');
  });
});
