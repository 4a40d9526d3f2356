import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DiskLimit, readDiskLimitMb } from '../../../../src/server/control-plane/builds/disk-limit.ts';
import { skip } from '../../../support/skip.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the disk space of a build', () => {
  const { signal } = new AbortController();

  it('has a limit, which can be set in megabytes', () => {
    assert.equal(readDiskLimitMb({ AGENT_HARBOR_BUILD_DISK_MB: '100' }), 100);
    for (const environment of [{}, { AGENT_HARBOR_BUILD_DISK_MB: '' }])
      assert.equal(readDiskLimitMb(environment), 20_480);
    for (const given of ['0', '-1', '1.5', '10 GB'])
      assert.throws(
        () => readDiskLimitMb({ AGENT_HARBOR_BUILD_DISK_MB: given }),
        new RegExp(`AGENT_HARBOR_BUILD_DISK_MB must be .*'${given}'`),
      );
  });

  it('is measured over all folders, while something writes and when it has ended', async function () {
    if (process.platform !== 'linux') skip(this, 'builds run in containers only on Linux');
    await using one = await temporaryFolder();
    await using two = await temporaryFolder();
    const limit = new DiskLimit([one.path, two.path], 3);
    const fill = (folder: string) => writeFile(path.join(folder, 'file'), Buffer.alloc(2 * 1_048_576, 1));
    await fill(one.path);
    assert.equal(await limit.watch(signal, async () => 'done'), 'done');
    await assert.rejects(
      limit.watch(signal, async () => fill(two.path)),
      /takes \d+ MB/,
    );
    const forever = (over: AbortSignal) =>
      new Promise((_, reject) => over.addEventListener('abort', () => reject(over.reason)));
    await assert.rejects(limit.watch(signal, forever), /takes \d+ MB/);
  });

  it('is measured without du, which Windows lacks', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'file'), Buffer.alloc(4 * 1_048_576, 1));
    const { PATH } = process.env;
    process.env.PATH = folder.path;
    try {
      const limit = new DiskLimit([folder.path], 3);
      await assert.rejects(
        limit.watch(signal, async () => 'done'),
        /takes 4 MB/,
      );
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('hides neither why the work failed nor that it was canceled', async function () {
    if (process.platform !== 'linux') skip(this, 'builds run in containers only on Linux');
    await using folder = await temporaryFolder();
    const limit = new DiskLimit([folder.path], 3);
    await assert.rejects(
      limit.watch(signal, async () => Promise.reject(new Error('no such package'))),
      /no such package/,
    );
    const canceled = AbortSignal.abort(new Error('canceled'));
    await assert.rejects(
      limit.watch(canceled, async (given) => given.throwIfAborted()),
      /canceled/,
    );
  });
});
