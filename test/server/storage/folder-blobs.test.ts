import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FolderBlobs } from '../../../src/server/storage/folder-blobs.ts';
import { stagingFolder } from '../../../src/server/storage/staging-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the files of large payloads', () => {
  it('are still read by their earlier names if a change of retention was not committed', async () => {
    await using folder = await temporaryFolder();
    const blobs = new FolderBlobs(folder.path);
    const staged = path.join(stagingFolder(folder.path), 'one');
    await mkdir(path.dirname(staged), { recursive: true });
    await writeFile(staged, 'goldcrest');
    const name = blobs.keep({ staged }, 14, 'a-trace');
    blobs.move(name, 400);
    assert.equal(blobs.has(name), true);
    assert.equal(blobs.read(name)?.toString(), 'goldcrest');
    const moved = blobs.move(name, 400);
    assert.equal(blobs.read(moved)?.toString(), 'goldcrest');
    blobs.remove(name);
    assert.deepEqual([blobs.has(name), blobs.has(moved), blobs.countOf('a-trace')], [false, false, 0]);
  });
});
