import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { linkOrCopy } from '../../src/process/link-or-copy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Windows without developer mode. */
const refuse = () =>
  Promise.reject(Object.assign(new Error('EPERM: operation not permitted, symlink'), { code: 'EPERM' }));

describe('a link', () => {
  it('is created if the system allows it', async () => {
    await using folder = await temporaryFolder();
    const to = path.join(folder.path, 'link');
    await linkOrCopy({ target: 'file', source: path.join(folder.path, 'file'), to });
    assert.equal(await readlink(to), 'file');
  });

  it('is otherwise a copy of its file or folder, without excluded parts', async () => {
    await using folder = await temporaryFolder();
    const source = path.join(folder.path, 'shared');
    await mkdir(path.join(source, 'node_modules'), { recursive: true });
    await writeFile(path.join(source, 'prompt.txt'), 'Be brief.');
    const to = path.join(folder.path, 'link');
    await linkOrCopy({ target: 'shared', source, to }, (name) => name !== 'node_modules', refuse);
    assert.deepEqual(await readdir(to), ['prompt.txt']);
    const file = path.join(folder.path, 'link.txt');
    await linkOrCopy({ target: 'x', source: path.join(source, 'prompt.txt'), to: file }, undefined, refuse);
    assert.equal(await readFile(file, 'utf8'), 'Be brief.');
  });

  it('is left out if its target does not exist', async () => {
    await using folder = await temporaryFolder();
    const to = path.join(folder.path, 'link');
    await linkOrCopy({ target: 'gone', source: path.join(folder.path, 'gone'), to }, undefined, refuse);
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('fails for any other reason', async () => {
    await using folder = await temporaryFolder();
    const to = path.join(folder.path, 'no', 'link');
    await assert.rejects(linkOrCopy({ target: 'file', source: folder.path, to }), { code: 'ENOENT' });
  });
});
