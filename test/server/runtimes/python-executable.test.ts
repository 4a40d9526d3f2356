import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findSystemPython } from '../../../src/server/runtimes/python-executable.ts';
import { skip } from '../../support/skip.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the Python of a machine', () => {
  it('is the next one when a shim does not say which it stands for', async function () {
    if (process.platform === 'win32') skip(this, 'the interpreters are scripts for a shell');
    await using folder = await temporaryFolder();
    const answers = {
      shims: 'case "$2" in *executable*) exit 1 ;; *) echo 3.13.1 ;; esac',
      bin: 'echo 3.12.4',
    };
    const places: string[] = [];
    for (const [name, script] of Object.entries(answers)) {
      const place = path.join(folder.path, name);
      await mkdir(place);
      await writeFile(path.join(place, 'python3'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      places.push(place);
    }
    const found = await findSystemPython(places.join(path.delimiter), undefined);
    assert.deepEqual(found, { file: path.join(folder.path, 'bin', 'python3'), version: '3.12.4' });
  });
});
