import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { changedFiles } from '../../src/deploy/changed-files.ts';
import { listFolderFiles } from '../../src/project/folder-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';

describe('the difference between the files of two revisions', () => {
  it('lists added, removed and changed paths; of secrets only whether they exist', () => {
    const before = [
      { path: 'same.ts', sha256: '1' },
      { path: 'changed.ts', sha256: '1' },
      { path: 'removed.ts', sha256: '1' },
      { path: '.env' },
      { path: 'named.cfg' },
    ];
    const after = [
      { path: 'added.ts', sha256: '1' },
      { path: 'changed.ts', sha256: '2' },
      { path: 'same.ts', sha256: '1' },
      { path: '.env' },
      { path: 'named.cfg', sha256: '3' },
      { path: 'new.pem' },
    ];
    assert.deepEqual(changedFiles(before, after), [
      { path: 'added.ts', change: 'added' },
      { path: 'changed.ts', change: 'changed' },
      { path: 'new.pem', change: 'added' },
      { path: 'removed.ts', change: 'removed' },
    ]);
  });
});

describe('the files of a folder to deploy', () => {
  it('are those that git does not ignore, with hashes of all but secrets', async () => {
    await using repository = await gitRepository();
    await repository.push({ '.gitignore': 'out/\n', 'a.txt': 'a', 'gone.txt': 'gone', '.env': 'KEY=hush' });
    await rm(path.join(repository.workDir, 'gone.txt'));
    for (const name of ['out/b.txt', 'node_modules/c.js', 'new/d.txt']) {
      await mkdir(path.dirname(path.join(repository.workDir, name)), { recursive: true });
      await writeFile(path.join(repository.workDir, name), 'a');
    }
    const files = await listFolderFiles(repository.workDir);
    const hash = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';
    assert.deepEqual(
      files.filter(({ path: name }) => name !== '.gitignore'),
      [{ path: '.env' }, { path: 'a.txt', sha256: hash }, { path: 'new/d.txt', sha256: hash }],
    );
  });
});
