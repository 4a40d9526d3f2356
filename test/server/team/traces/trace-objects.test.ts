import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpError } from '../../../../src/server/http/errors.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { FolderObjects } from '../../../../src/server/team/objects/folder-objects.ts';
import { type Objects, ObjectsError } from '../../../../src/server/team/objects/objects.ts';
import { S3Objects } from '../../../../src/server/team/objects/s3-objects.ts';
import { readS3Place } from '../../../../src/server/team/objects/s3-place.ts';
import { TraceObjects } from '../../../../src/server/team/traces/trace-objects.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { patience } from '../../../support/wait.ts';

const PATIENCE_MS = 2_000 * patience;
const PIECES = 30;
const PIECE = randomBytes(1_000);

describe('a payload in an object store that is slow', function () {
  this.timeout(60_000);
  let server: http.Server;
  let objects: Objects;
  before(async () => {
    server = http.createServer(async ({ url = '' }, response) => {
      response.writeHead(200);
      for (let sent = 0; sent < PIECES; sent++) {
        response.write(PIECE);
        await sleep(PATIENCE_MS / 20);
        if (url.endsWith('silent')) return;
      }
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    objects = new S3Objects(
      readS3Place('s3://bucket', {
        AWS_ACCESS_KEY_ID: 'tests',
        AWS_SECRET_ACCESS_KEY: 'tests',
        AWS_ENDPOINT_URL: `http://127.0.0.1:${address.port}`,
      }),
    );
  });
  after(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const open = (dataDir: string, store: Objects = objects) =>
    new TraceObjects({
      objects: store,
      dataDir,
      logger: makeLogger({ level: 'silent' }),
      write: () => Promise.reject(new Error('nothing is written')),
      patienceMs: PATIENCE_MS,
    });

  it('is fetched however long that takes, as long as more of it comes', async () => {
    await using folder = await temporaryFolder();
    const { 'traces/slow': file } = await open(folder.path).fetch(['traces/slow']);
    assert.equal((await readFile(String(file))).length, PIECES * PIECE.length);
  });

  it('is given up when nothing more of it comes', async () => {
    await using folder = await temporaryFolder();
    await assert.rejects(
      open(folder.path).fetch(['traces/silent']),
      (error) => error instanceof HttpError && error.status === 503,
    );
  });

  it('is no longer requested when the server stops', async () => {
    await using folder = await temporaryFolder();
    const stopping = open(folder.path);
    stopping.close();
    await assert.rejects(stopping.fetch(['traces/slow']), /The server is stopping/);
  });

  it('is reported piece by piece when it is in a folder, too', async () => {
    await using folder = await temporaryFolder();
    const inFolder = new FolderObjects(path.join(folder.path, 'store'));
    await inFolder.identify();
    const file = path.join(folder.path, 'in');
    await writeFile(file, randomBytes(1_000_000));
    await inFolder.put('traces/one', file);
    let reports = 0;
    await inFolder.get('traces/one', path.join(folder.path, 'out'), undefined, () => reports++);
    assert.ok(reports > 1, `${reports} pieces`);
  });

  it('holds up nothing else in the server when its drive hangs', async function () {
    if (process.platform === 'win32') return this.skip();
    await using folder = await temporaryFolder();
    const store = path.join(folder.path, 'store');
    const inFolder = new FolderObjects(store);
    await inFolder.identify();
    await mkdir(path.join(store, 'traces'));
    // A named pipe can be opened for reading only once it is open for writing.
    const names = Array.from({ length: 12 }, (_, at) => `traces/${at}`);
    const files = names.map((name) => path.join(store, name));
    execFileSync('mkfifo', files);
    try {
      await assert.rejects(
        open(folder.path, inFolder).fetch(names),
        (error) => error instanceof HttpError && error.status === 503,
      );
      // Node has four threads for all files.
      assert.ok((await readFile(path.join(store, '.agent-harbor-objects'), 'utf8')).length > 0);
      await assert.rejects(inFolder.has('traces/0', AbortSignal.timeout(100)), ObjectsError);
    } finally {
      for (const file of files) closeSync(openSync(file, constants.O_RDWR));
    }
    assert.equal(await inFolder.has('traces/none'), false);
  });
});
