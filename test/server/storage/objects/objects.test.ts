import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { access, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Objects, ObjectsError } from '../../../../src/server/storage/objects/objects.ts';
import { openObjects } from '../../../../src/server/storage/objects/open-objects.ts';
import { type ObjectStore, requireMoto, requireVersitygw } from '../../../support/object-stores.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** More than one part of an upload, and an odd number of bytes. */
const LARGE_BYTES = 2 * 16 * 1_048_576 + 12_345;

for (const kind of ['in a folder', 'in S3, as moto has it', 'in S3, as versitygw has it'] as const) {
  describe(`an object store ${kind}`, function () {
    this.timeout(60_000);
    let store: ObjectStore | undefined;
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let objects: Objects;
    before(async function () {
      if (kind === 'in S3, as moto has it') store = await requireMoto(this);
      if (kind === 'in S3, as versitygw has it') store = await requireVersitygw(this);
    });
    beforeEach(async () => {
      folder = await temporaryFolder();
      const place =
        store === undefined ? path.join(folder.path, 'store') : `s3://${await store.createBucket()}/of/tests`;
      objects = await openObjects(place, store?.environment ?? {});
    });
    afterEach(() => folder?.[Symbol.asyncDispose]());
    after(() => store?.[Symbol.asyncDispose]());

    const file = (name: string) => path.join(folder.path, name);

    for (const [size, bytes] of [
      ['an empty', 0],
      ['a small', 1_000],
      ['a large', LARGE_BYTES],
    ] as const) {
      it(`gives back ${size} file as it was stored`, async () => {
        const content = randomBytes(bytes);
        await writeFile(file('in'), content);
        await objects.put('builds/a/one.tar.gz', file('in'));
        assert.equal(await objects.get('builds/a/one.tar.gz', file('new/out')), true);
        assert.ok(content.equals(await readFile(file('new/out'))));
      });
    }

    it('replaces a file of the same name, and lists and removes by name', async () => {
      await writeFile(file('old'), 'old');
      await writeFile(file('new'), 'new');
      assert.deepEqual(await objects.list('builds/'), []);
      await objects.put('builds/a/1', file('old'));
      await objects.put('builds/a/1', file('new'));
      await objects.put('builds/a/2', file('old'));
      await objects.put('builds/ab', file('old'));
      assert.deepEqual(await objects.list('builds/a/'), ['builds/a/1', 'builds/a/2']);
      await objects.get('builds/a/1', file('out'));
      assert.equal(await readFile(file('out'), 'utf8'), 'new');
      await objects.remove('builds/a/1');
      await objects.remove('builds/a/1');
      assert.deepEqual(await objects.list('builds/'), ['builds/a/2', 'builds/ab']);
    });

    it('says that nothing has a name, and leaves no file', async () => {
      assert.equal(await objects.get('builds/none', file('out')), false);
      await assert.rejects(access(file('out')));
    });

    it('refuses names that would leave it', async () => {
      await writeFile(file('in'), '');
      for (const name of ['../out', '/out', 'a/../b', 'a//b', '', 'a/.'])
        await assert.rejects(objects.put(name, file('in')), ObjectsError, name);
    });

    it('stores nothing of a file that cannot be read', async () => {
      await assert.rejects(objects.put('builds/a/1', file('missing')));
      assert.deepEqual(await objects.list('builds/'), []);
      assert.equal(await objects.get('builds/a/1', file('out')), false);
    });
  });
}

describe('a bucket of S3', function () {
  this.timeout(60_000);
  let store: ObjectStore;
  before(async function () {
    store = await requireMoto(this);
  });
  after(() => store?.[Symbol.asyncDispose]());

  it('lists more names than one answer has', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'in');
    await writeFile(file, '');
    const objects = await openObjects(`s3://${await store.createBucket()}`, store.environment);
    const names = Array.from({ length: 1_010 }, (_, at) => `many/${String(at).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 50)
      await Promise.all(names.slice(at, at + 50).map((name) => objects.put(name, file)));
    assert.deepEqual(await objects.list('many/'), names);
  });

  it('is refused at the start when it is missing, or nobody may ask for it', async () => {
    await assert.rejects(
      openObjects('s3://no-such-bucket', store.environment),
      /s3:\/\/no-such-bucket .*NoSuchBucket.*Create the bucket first, or choose another with --objects\.$/,
    );
    await assert.rejects(openObjects('s3://bucket', {}), /Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/);
    await assert.rejects(openObjects('s3://Not_a_bucket', store.environment), /not a bucket/);
    await assert.rejects(openObjects('relative/folder', {}), /s3:\/\/bucket\/prefix or the absolute path/);
    const elsewhere = { ...store.environment, AWS_ENDPOINT_URL: 'ftp://127.0.0.1' };
    await assert.rejects(openObjects('s3://bucket', elsewhere), /AWS_ENDPOINT_URL must be/);
  });
});
