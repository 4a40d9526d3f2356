import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MoveError } from '../../../../src/server/team/moving/move-error.ts';
import { TargetFolder } from '../../../../src/server/team/moving/target-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const BLOB = 'ttl_14d/trace/payload';

describe('a folder that a workspace is moved to', () => {
  for (const file of ['moving/notes.txt', 'blobs/photo', 'traces.db', 'deployments/prod.yaml', 'README.md'])
    it(`is refused with a ${file} of its own, which stays`, async () => {
      await using folder = await temporaryFolder();
      const own = path.join(folder.path, file);
      await mkdir(path.dirname(own), { recursive: true });
      await writeFile(own, 'mine');
      const refused = new RegExp(`is not empty: it contains ${file.split('/')[0]}\\.`);
      await assert.rejects(TargetFolder.open(folder.path), (error) => {
        assert.ok(error instanceof MoveError);
        assert.match(error.message, refused);
        return true;
      });
      assert.equal(await readFile(own, 'utf8'), 'mine');
      assert.deepEqual(await readdir(folder.path), [file.split('/')[0]]);
    });

  it('is filled again after an attempt that was interrupted', async () => {
    await using folder = await temporaryFolder();
    const first = await TargetFolder.open(folder.path);
    first.storeBlob('ttl_14d/trace/first', Buffer.from('of the first attempt'));
    first.close();
    const second = await TargetFolder.open(folder.path);
    second.storeBlob(BLOB, Buffer.from('of the second'));
    await second.indexWords();
    second.finish();
    second.close();
    assert.deepEqual(await readdir(path.join(folder.path, 'blobs/ttl_14d/trace')), ['payload']);
    assert.deepEqual((await readdir(folder.path)).sort(), ['blobs', 'server.lock', 'state.db', 'traces.db']);
    await assert.rejects(TargetFolder.open(folder.path), /is already a data folder/);
  });

  it('is refused after an interrupted attempt when something else is there since', async () => {
    await using folder = await temporaryFolder();
    (await TargetFolder.open(folder.path)).close();
    await writeFile(path.join(folder.path, 'notes.txt'), 'mine');
    await assert.rejects(TargetFolder.open(folder.path), /is not empty: it contains notes\.txt\./);
  });

  it('loses nothing that has appeared in it meanwhile', async () => {
    await using folder = await temporaryFolder();
    const target = await TargetFolder.open(folder.path);
    target.storeBlob(BLOB, Buffer.from('moved'));
    await target.indexWords();
    await mkdir(path.join(folder.path, 'blobs'));
    await writeFile(path.join(folder.path, 'blobs', 'photo'), 'mine');
    assert.throws(() => target.finish(), /is not empty: it contains blobs\./);
    target.close();
    await assert.rejects(TargetFolder.open(folder.path), /is not empty: it contains blobs\./);
    assert.equal(await readFile(path.join(folder.path, 'blobs', 'photo'), 'utf8'), 'mine');
    assert.equal(existsSync(path.join(folder.path, 'state.db')), false);
  });
});
