import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fileSystem, { access, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { mock } from 'node:test';
import { FolderObjects } from '../../../../src/server/team/objects/folder-objects.ts';
import { type Objects, ObjectsError } from '../../../../src/server/team/objects/objects.ts';
import { openObjects, openObjectsOf } from '../../../../src/server/team/objects/open-objects.ts';
import { S3Objects } from '../../../../src/server/team/objects/s3-objects.ts';
import { readS3Place } from '../../../../src/server/team/objects/s3-place.ts';
import type { MarkedPlace } from '../../../../src/server/team/objects/store-mark.ts';
import { httpPeer } from '../../../support/http-peer.ts';
import { type ObjectStore, requireMoto, requireVersitygw } from '../../../support/object-stores.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { openTeamState } from '../../../support/team-state.ts';
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
      it(`returns ${size} file as it was stored`, async () => {
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

    it('says what has a name, until it is removed', async () => {
      await writeFile(file('in'), 'content');
      await writeFile(file('empty'), '');
      await objects.put('traces/ab/1', file('in'));
      await objects.put('traces/ab/12', file('empty'));
      const has = () =>
        Promise.all(['traces/ab/1', 'traces/ab/12', 'traces/none'].map((name) => objects.has(name)));
      assert.deepEqual(await has(), [true, true, false]);
      await objects.remove('traces/ab/1');
      assert.deepEqual(await has(), [false, true, false]);
    });

    it('is not mistaken for another one, nor is a place without a store', async () => {
      const id = await objects.identify();
      const own = { id, isNew: false };
      assert.equal(await objects.identify(own), id);
      assert.equal(await objects.identify({ id, isNew: true }), id);
      const empty = store === undefined ? file('empty') : `s3://${await store.createBucket()}`;
      for (const attempt of [
        () => objects.identify({ id: 'another', isNew: false }),
        () => openObjects(empty, store?.environment ?? {}, own),
      ])
        await assert.rejects(attempt, /is not the object store of this database.*Mount its drive/);
      await assert.rejects(
        () => objects.identify({ id: 'another', isNew: true }),
        /is the object store of another database.*Pass another place/,
      );
      assert.equal(await objects.identify(), id);
      assert.notEqual(await (await openObjects(empty, store?.environment ?? {})).identify(), id);
    });

    it('is marked once, also by databases that have both seen no mark', async () => {
      const bucket = await store?.createBucket();
      const makePlace = (): MarkedPlace =>
        bucket === undefined
          ? new FolderObjects(file('marked'))
          : new S3Objects(readS3Place(`s3://${bucket}/of/tests`, store?.environment ?? {}));
      const [one, other] = [makePlace(), makePlace()];
      assert.deepEqual([await one.readMark(), await other.readMark()], [undefined, undefined]);
      await one.makeMark('one');
      assert.equal(await one.readMark(), 'one');
      await other.makeMark('other');
      assert.equal(await other.readMark(), 'one');
      await Promise.all(
        [makePlace(), makePlace(), makePlace()].map((place, at) => place.makeMark(String(at))),
      );
      assert.equal(await one.readMark(), 'one');
      if (bucket === undefined) assert.deepEqual(await readdir(file('marked')), ['.agent-harbor-objects']);
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

describe('a folder of objects', () => {
  it('reports nothing about its contents, and accepts nothing, while it is not there', async () => {
    await using folder = await temporaryFolder();
    const place = path.join(folder.path, 'drive');
    const objects = await openObjects(place, {});
    assert.equal(await objects.has('traces/ab/1'), false);
    await rename(place, path.join(folder.path, 'elsewhere'));
    const file = path.join(folder.path, 'in');
    await writeFile(file, '');
    // Imitates the path of a drive that is not mounted: first an empty folder, then another store.
    for (const make of [() => mkdir(place), () => openObjects(place, {})]) {
      await make();
      await assert.rejects(objects.has('traces/ab/1'), ObjectsError);
      await assert.rejects(objects.list('traces/'), ObjectsError);
      await assert.rejects(objects.put('traces/ab/1', file), ObjectsError);
      await assert.rejects(objects.get('traces/ab/1', path.join(folder.path, 'out')), ObjectsError);
    }
  });

  it('accepts a folder that an earlier version has marked without an ID', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, '.agent-harbor-objects'), '');
    const id = await (await openObjects(folder.path, {})).identify();
    assert.equal(await (await openObjects(folder.path, {}, { id, isNew: false })).identify(), id);
  });
});

describe('the object store of a database', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('is one for all servers, and nothing is stored where it is not mounted', async () => {
    await using folder = await temporaryFolder();
    await using db = await openTeamState(await postgres.createDatabase());
    const place = path.join(folder.path, 'drive');
    const open = () => openObjectsOf(db, place, {});
    const opened = await Promise.all([open(), open(), open()]);
    const ids = await Promise.all(opened.map((objects) => objects.identify()));
    assert.equal(new Set(ids).size, 1);
    await rename(place, path.join(folder.path, 'elsewhere'));
    await mkdir(place);
    await assert.rejects(open(), /drive is not the object store of this database/);
    assert.deepEqual(await readdir(place), []);
    await rmdir(place);
    await rename(path.join(folder.path, 'elsewhere'), place);
    assert.equal(await (await open()).identify(), ids[0]);
  });

  it('is one place, when servers start for the first time at once with several', async () => {
    await using folder = await temporaryFolder();
    const database = await postgres.createDatabase();
    const servers = await Promise.all([openTeamState(database), openTeamState(database)]);
    const opened = await Promise.allSettled(
      servers.map((db, at) => openObjectsOf(db, path.join(folder.path, String(at)), {})),
    );
    assert.deepEqual(opened.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    for (const db of servers) await db[Symbol.asyncDispose]();
  });

  it('is refused to any other one, until it is said that it has none any more', async () => {
    await using folder = await temporaryFolder();
    await using one = await openTeamState(await postgres.createDatabase());
    await using other = await openTeamState(await postgres.createDatabase());
    const objects = await openObjectsOf(one, folder.path, {});
    const file = path.join(folder.path, 'in');
    await writeFile(file, '');
    await objects.put('builds/a/1', file);
    for (let attempts = 0; attempts < 2; attempts++)
      await assert.rejects(
        openObjectsOf(other, folder.path, {}),
        /is the object store of another database: it has a \.agent-harbor-objects that does not match this database\. Pass/,
      );
    await openObjectsOf(one, folder.path, {});
    await openObjectsOf(other, path.join(folder.path, 'its-own'), {});
    await assert.rejects(openObjectsOf(other, folder.path, {}), /is not the object store of this database/);
    await using third = await openTeamState(await postgres.createDatabase());
    await rm(path.join(folder.path, '.agent-harbor-objects'));
    assert.ok(await (await openObjectsOf(third, folder.path, {})).has('builds/a/1'));
    await assert.rejects(openObjectsOf(one, folder.path, {}), /is not the object store of this database/);
  });

  it('is still accepted after a server was killed that had just marked it, after a lost mark was written again, and for a restored copy of the database', async () => {
    await using folder = await temporaryFolder();
    await using db = await openTeamState(await postgres.createDatabase());
    await openObjectsOf(db, folder.path, {});
    const setting = () =>
      db.selectFrom('settings').select('value').where('name', '=', 'objects.store').executeTakeFirstOrThrow();
    const { value: id } = await setting();
    await db
      .updateTable('settings')
      .set({ value: `unmarked ${id}` })
      .where('name', '=', 'objects.store')
      .execute();
    assert.equal(await (await openObjectsOf(db, folder.path, {})).identify(), id);
    assert.equal((await setting()).value, id);
    const mark = path.join(folder.path, '.agent-harbor-objects');
    await rm(mark);
    await assert.rejects(
      openObjectsOf(db, folder.path, {}),
      new RegExp(
        `it has no \\.agent-harbor-objects with the text ${id}.*or that file was lost, create the file`,
      ),
    );
    await writeFile(mark, `${id}\n`);
    await openObjectsOf(db, folder.path, {});
    await using restored = await openTeamState(await postgres.createDatabase());
    await restored.insertInto('settings').values({ name: 'objects.store', value: id }).execute();
    assert.equal(await (await openObjectsOf(restored, folder.path, {})).identify(), id);
  });

  it('is not known before it could be used', async () => {
    await using folder = await temporaryFolder();
    await using db = await openTeamState(await postgres.createDatabase());
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    await assert.rejects(openObjectsOf(db, file, {}), ObjectsError);
    await openObjectsOf(db, path.join(folder.path, 'store'), {});
  });
});

describe('a folder of a file system without hard links', () => {
  afterEach(() => {
    mock.restoreAll();
    syncBuiltinESMExports();
  });

  // The error codes of Linux and Windows for FAT, network drives and drives that a program provides.
  for (const code of ['EPERM', 'EISDIR', 'EXDEV', 'EIO']) {
    it(`is marked once when links are refused with ${code}`, async () => {
      mock.method(fileSystem, 'link', async () => {
        throw Object.assign(new Error(`${code}: no links here`), { code, syscall: 'link' });
      });
      syncBuiltinESMExports();
      await using folder = await temporaryFolder();
      const [one, other] = [new FolderObjects(folder.path), new FolderObjects(folder.path)];
      await one.makeMark('one');
      await other.makeMark('other');
      assert.equal(await other.readMark(), 'one');
      assert.deepEqual(await readdir(folder.path), ['.agent-harbor-objects']);
    });
  }

  it('is not marked when nothing can be written there', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    await assert.rejects(new FolderObjects(path.join(file, 'store')).makeMark('one'));
  });
});

describe('a bucket of S3 that answers 404 when a missing object is removed', () => {
  it('removes an object that it does not have, and reports a missing bucket', async () => {
    let code = 'NoSuchKey';
    await using store = await httpPeer((_, response) => {
      response.writeHead(404).end(`<Error><Code>${code}</Code></Error>`);
    });
    const environment = {
      AWS_ENDPOINT_URL: store.url,
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    };
    const objects = new S3Objects(readS3Place('s3://bucket', environment));
    await objects.remove('traces/ab/1');
    assert.deepEqual(
      store.seen.map(({ method }) => method),
      ['DELETE'],
    );
    code = 'NoSuchBucket';
    await assert.rejects(objects.remove('traces/ab/1'), /NoSuchBucket/);
  });
});

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

  it('reports nothing about its contents when it is missing', async () => {
    const place = readS3Place('s3://no-such-bucket', store.environment);
    await assert.rejects(new S3Objects(place).has('traces/ab/1'), /NoSuchBucket/);
  });

  /** A store that answers conditional writes with a given status, and supports everything else. */
  async function refusing(status: number, code: string) {
    const target = new URL(store.environment.AWS_ENDPOINT_URL ?? '');
    const proxy = http.createServer((request, response) => {
      if (request.headers['if-none-match'] !== undefined) {
        const refusal = `<Error><Code>${code}</Code></Error>`;
        request.resume().once('end', () => response.writeHead(status).end(refusal));
        return;
      }
      const { method, headers, url: path } = request;
      const passed = http.request({ host: target.hostname, port: target.port, method, headers, path });
      passed.once('response', (answer) => {
        answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
      });
      request.pipe(passed);
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    assert.ok(typeof address === 'object' && address !== null);
    const AWS_ENDPOINT_URL = `http://127.0.0.1:${address.port}`;
    return {
      environment: { ...store.environment, AWS_ENDPOINT_URL },
      [Symbol.dispose]: () => void proxy.close(),
    };
  }

  for (const [status, code] of [
    [501, 'NotImplemented'],
    [400, 'InvalidArgument'],
  ] as const) {
    it(`is marked even if it answers ${status} to a conditional write`, async () => {
      using proxy = await refusing(status, code);
      const place = `s3://${await store.createBucket()}`;
      const objects = await openObjects(place, proxy.environment);
      assert.equal(await (await openObjects(place, store.environment)).identify(), await objects.identify());
    });
  }

  it('is not said to be of another database when it has no mark after another has been storing one', async () => {
    using proxy = await refusing(409, 'ConditionalRequestConflict');
    const place = `s3://${await store.createBucket()}`;
    await assert.rejects(openObjects(place, proxy.environment), (error: unknown) => {
      assert.ok(error instanceof ObjectsError);
      assert.match(error.message, /has no \.agent-harbor-objects.*Start this server again/);
      assert.doesNotMatch(error.message, /another database/);
      return true;
    });
    await openObjects(place, store.environment);
  });

  it('is not assumed to lack an object that only a proxy in front of it does not find', async () => {
    const proxy = http.createServer((_, response) => response.writeHead(404).end('<h1>Not Found</h1>'));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    try {
      const address = proxy.address();
      assert.ok(typeof address === 'object' && address !== null);
      const AWS_ENDPOINT_URL = `http://127.0.0.1:${address.port}`;
      const objects = new S3Objects(readS3Place('s3://bucket', { ...store.environment, AWS_ENDPOINT_URL }));
      await assert.rejects(objects.has('traces/ab/1'), /refused a request: HTTP 404/);
      await assert.rejects(objects.get('traces/ab/1', '/nowhere/out'), /refused a request: HTTP 404/);
    } finally {
      proxy.close();
    }
  });

  it('is refused at the start when it is missing, or access is denied', async () => {
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
