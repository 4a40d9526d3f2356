import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newRun, postParts, readRun, sendParts } from '../../support/traces.ts';

describe('the staging folder', () => {
  it('is emptied before requests are served, and created again when deleted, but not if the data folder is deleted', async () => {
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const staging = path.join(dataDir, 'blobs', 'staging');
    // Left behind by a crash, and by another program.
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
