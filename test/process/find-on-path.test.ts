import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findOnPath } from '../../src/process/find-on-path.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('a program that is looked for', () => {
  it('is the first in the folders of PATH that can be run', async function () {
    if (process.platform === 'win32') skip(this, 'permissions to run files');
    await using folder = await temporaryFolder();
    const add = async (name: string, mode: number) => {
      const file = path.join(folder.path, name, 'tool');
      await mkdir(path.dirname(file));
      await writeFile(file, '');
      await chmod(file, mode);
      return file;
    };
    await add('text', 0o644);
    const first = await add('first', 0o755);
    await add('second', 0o755);
    const searchPath = ['', 'missing', 'text', 'first', 'second']
      .map((name) => (name === '' ? '' : path.join(folder.path, name)))
      .join(path.delimiter);
    assert.equal(await findOnPath('tool', searchPath), first);
    assert.equal(await findOnPath('other', searchPath), undefined);
    assert.equal(await findOnPath('tool'), undefined);
  });

  it('is absolute, even if the folder in PATH is not', async function () {
    if (process.platform === 'win32') skip(this, 'permissions to run files');
    const folder = path.relative(process.cwd(), path.dirname(process.execPath));
    const name = path.basename(process.execPath);
    assert.equal(await findOnPath(name, folder), process.execPath);
  });
});
