import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'mocha';
import { create } from 'tar';
import { DataFolder } from '../../src/server/data-folder.ts';
import { DataFolderError } from '../../src/server/storage/data-folder-error.ts';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { startPlatform } from '../support/platform.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newRun, postParts, sendParts } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

/**
 * A disk of a few megabytes, mounted at a folder if one is given. Skips the test if mounting is not
 * permitted.
 */
async function smallDisk(
  test: Context,
  at?: string,
): Promise<{ readonly path: string; fill(): Promise<void> } & AsyncDisposable> {
  const folder = at === undefined ? await temporaryFolder() : await folderAt(at);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'tmpfs', folder.path]);
  if (status !== 0) {
    await folder[Symbol.asyncDispose]();
    skip(test, 'no small disk can be mounted here');
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

async function folderAt(at: string): Promise<{ readonly path: string } & AsyncDisposable> {
  await mkdir(at, { recursive: true });
  return { path: at, [Symbol.asyncDispose]: () => Promise.resolve() };
}

describe('a full disk', () => {
  it('is reported by a starting server, not mistaken for another server', async function () {
    await using disk = await smallDisk(this);
    await disk.fill();
    await assert.rejects(DataFolder.open(disk.path), (error) => {
      assert.ok(error instanceof DataFolderError);
      assert.match(error.message, /^The disk is full\. /);
      return true;
    });
  });

  it('refuses a large part of a trace so that clients retry, and accepts it when there is space', async function () {
    await using disk = await smallDisk(this);
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

describe('a disk too full for an upload', function () {
  this.timeout(60_000);

  it('refuses it with 507 and keeps nothing; the same URL accepts it when there is space', async function () {
    await using server = await serverProcess();
    const { deployments } = server.client;
    const { id: deployment_id } = await deployments.create({
      body: { name: 'uploaded', source: 'internal_source', source_config: {}, source_revision_config: {} },
    });
    const { upload_url } = await deployments.uploadUrl({ params: { deployment_id }, body: {} });
    const uploads = path.join(server.dataDir, 'deployments', deployment_id, 'uploads');
    await using _disk = await smallDisk(this, uploads);
    const put = (megabytes: number) =>
      fetch(upload_url, { method: 'PUT', body: new Uint8Array(megabytes * 1_000_000) });
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = await put(40);
      assert.equal(refused.status, 507);
      assert.match(await refused.text(), /disk is full.*try again/);
      assert.deepEqual(await readdir(uploads), []);
    }
    assert.equal((await put(2)).status, 200);
    assert.equal((await readdir(uploads)).length, 1);
  });
});

describe('a disk too full for a build', function () {
  this.timeout(60_000);

  it('is given as the reason of the failed revision, even when the program that failed did not say so', async function () {
    await using server = await serverProcess();
    const { deployments, revisions } = server.client;
    const fill = `import { appendFileSync } from 'node:fs';
      try { for (;;) appendFileSync('filler', Buffer.alloc(100_000)); } catch {}
      console.error('something failed'); process.exit(1);`;
    await using source = await temporaryFolder();
    await writeFile(path.join(source.path, 'fill.mjs'), fill);
    await writeFile(path.join(source.path, 'langgraph.json'), '{"graphs": {"a": "./fill.mjs:graph"}}');
    const { id: deployment_id } = await deployments.create({
      body: {
        name: 'full',
        source: 'internal_source',
        source_config: { install_command: 'node fill.mjs' },
        source_revision_config: {},
      },
    });
    const { upload_url, object_path } = await deployments.uploadUrl({ params: { deployment_id }, body: {} });
    const tarball = path.join(source.path, 'source.tar.gz');
    await create({ file: tarball, cwd: source.path, gzip: true }, ['fill.mjs', 'langgraph.json']);
    assert.equal((await fetch(upload_url, { method: 'PUT', body: await readFile(tarball) })).status, 200);
    await using _disk = await smallDisk(
      this,
      path.join(server.dataDir, 'deployments', deployment_id, 'builds'),
    );
    const { latest_revision_id } = await deployments.update({
      params: { deployment_id },
      body: { source_revision_config: { source_tarball_path: object_path } },
    });
    const params = { deployment_id, revision_id: latest_revision_id ?? '' };
    const revision = await eventually(
      'the build has failed',
      () => revisions.get({ params }),
      ({ status }) => status === 'BUILD_FAILED',
      30_000,
    );
    const reason =
      /^The disk of the data folder is full\. Free some space and deploy again\. .*something failed/;
    assert.match(revision.status_message ?? '', reason);
  });
});
