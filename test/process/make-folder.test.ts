import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../src/process/make-folder.ts';
import { skip } from '../support/skip.ts';

describe('creating a folder', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'make-folder-'));
  });
  after(() => rm(root, { recursive: true }));

  it('creates parents too, and leaves an existing folder unchanged', async () => {
    const folder = path.join(root, 'a', 'b', 'c');
    await Promise.all([makeFolder(folder, 0o700), makeFolder(folder, 0o700)]);
    await makeFolder(folder);
    const made = await stat(folder);
    assert.ok(made.isDirectory());
    if (process.platform !== 'win32') assert.equal(made.mode & 0o777, 0o700);
  });

  it('fails when a file with that name exists', async () => {
    const file = path.join(root, 'file');
    await writeFile(file, '');
    await assert.rejects(makeFolder(file), { code: 'EEXIST' });
    await assert.rejects(makeFolder(path.join(file, 'a')), /ENOTDIR|EEXIST/);
  });

  it('fails immediately if the system allows no folders there', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux has /proc');
    await assert.rejects(makeFolder('/proc/agent-harbor/data'), { code: 'ENOENT' });
  });
});
