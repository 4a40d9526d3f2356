import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DataFolder } from '../../src/server/data-folder.ts';
import { DataFolderError } from '../../src/server/storage/data-folder-error.ts';
import { startPlatform } from '../support/platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newRun, postParts, readRun, sendParts } from '../support/traces.ts';

/** A disk of a few megabytes; undefined where we may not mount one. */
async function smallDisk(): Promise<
  ({ readonly path: string; fill(): Promise<void> } & AsyncDisposable) | undefined
> {
  const folder = await temporaryFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', folder.path]);
  if (status !== 0) {
    await folder[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    path: folder.path,
    fill: async () => {
      const { bavail, bsize } = await statfs(folder.path);
      await writeFile(path.join(folder.path, 'filler'), Buffer.alloc(bavail * bsize));
    },
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', [folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe('a full disk', () => {
  it('is told as such when a server would begin on it, not as another server', async function () {
    await using disk = await smallDisk();
    if (disk === undefined) this.skip();
    await disk.fill();
    await assert.rejects(DataFolder.open(disk.path), (error) => {
      assert.ok(error instanceof DataFolderError);
      assert.match(error.message, /full/);
      return true;
    });
  });

  it('refuses a large part of a trace so that clients send it again, and takes it when there is room', async function () {
    await using disk = await smallDisk();
    if (disk === undefined) this.skip();
    const platform = await startPlatform({ dataDir: disk.path });
    try {
      await disk.fill();
      const parts = postParts(newRun(), { inputs: { text: 'x'.repeat(2_000_000) } });
      const refused = await sendParts(platform, parts);
      assert.equal(refused.status, 507, await refused.text());
      await rm(path.join(disk.path, 'filler'));
      assert.equal((await sendParts(platform, parts)).status, 202);
    } finally {
      await platform.close();
    }
  });
});

describe('a staging folder', () => {
  it('is emptied before anything is let in, and made again when somebody removed it, but not with the data folder around it', async () => {
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const staging = path.join(dataDir, 'blobs', 'staging');
    // Left behind, by a crash and by somebody.
    await mkdir(path.join(staging, 'folder'), { recursive: true });
    await writeFile(path.join(staging, 'folder', 'file'), '');
    await writeFile(path.join(staging, 'file'), '');
    const platform = await startPlatform({ dataDir });
    try {
      const run = newRun();
      const inputs = { text: 'x'.repeat(2_000_000) };
      assert.deepEqual(await readdir(staging), []);
      await rm(staging, { recursive: true });
      assert.equal((await sendParts(platform, postParts(run, { inputs }))).status, 202);
      assert.deepEqual((await readRun(platform, run.id)).inputs, inputs);
      await rm(path.join(dataDir, 'blobs'), { recursive: true });
      const refused = await sendParts(platform, postParts(newRun(), { inputs }));
      assert.equal(refused.status, 507, await refused.text());
    } finally {
      await platform.close();
    }
  });
});
