import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ChangeFeed } from '../../../src/server/http/change-feed.ts';
import { storageProblem } from '../../../src/server/http/storage-problem.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { Tracing } from '../../../src/server/traces-thread/tracing.ts';
import { startPlatform } from '../../support/platform.ts';
import { serverBundles } from '../../support/server-bundles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('the threads that own traces', function () {
  this.timeout(60_000);
  let worker: URL;
  before(async () => {
    worker = (await serverBundles()).tracesWorker;
  });

  const tracingOf = (dataDir: string) =>
    new Tracing({
      dataDir,
      baseUrl: () => 'http://127.0.0.1:1',
      changes: new ChangeFeed(),
      logger: makeLogger({ level: 'silent' }),
      workerUrl: worker,
    });
  const purge = { workspaceId: 'a', recordIn: 'b', by: null };

  it('read and answer during long writes', async () => {
    const platform = await startPlatform();
    assert.equal((await platform.fetch('/sessions')).status, 200);
    // The server itself may be writing at this moment.
    const writer = new DatabaseSync(path.join(platform.dataDir, 'traces.db'), { timeout: 10_000 });
    try {
      await eventually('a read is answered while a write waits', async () => {
        writer.exec('BEGIN IMMEDIATE');
        let isStored = false;
        const storing = platform
          .fetch('/sessions', { method: 'POST', body: { name: randomUUID() } })
          .then(() => {
            isStored = true;
          });
        const reading = platform.fetch('/sessions?name=nobody').then(async (answer) => {
          assert.deepEqual([answer.status, await answer.json()], [200, []]);
          return !isStored;
        });
        const overtakes = await Promise.race([reading, sleep(1_000, false)]);
        writer.exec('ROLLBACK');
        await Promise.all([storing, reading]);
        return overtakes;
      });
    } finally {
      writer.close();
      await platform.close();
    }
  });

  it('answer the first query before the reading thread is there', async () => {
    await using folder = await temporaryFolder();
    const workerUrl = pathToFileURL(path.join(folder.path, 'never-reads.mjs'));
    await writeFile(
      workerUrl,
      `import { parentPort, workerData } from 'node:worker_threads';
      if (workerData.role === 'write') await import(${JSON.stringify(worker.href)});
      else parentPort.once('message', () => parentPort.close());`,
    );
    const platform = await startPlatform({ workerUrl });
    try {
      const created = await platform.fetch('/sessions', { method: 'POST', body: { name: 'first' } });
      assert.equal(created.status, 200);
      for (const status of [200, 200]) {
        const answer = await platform.fetch('/sessions?name=first');
        assert.equal(answer.status, status);
        assert.deepEqual(
          ((await answer.json()) as { name: string }[]).map(({ name }) => name),
          ['first'],
        );
      }
      assert.equal((await platform.fetch(`/sessions/${randomUUID()}`)).status, 404);
    } finally {
      await platform.close();
    }
  });

  it('answer without the reading thread if it cannot start, and do not start it again for each query', async () => {
    await using folder = await temporaryFolder();
    const starts = path.join(folder.path, 'starts');
    await writeFile(starts, '');
    const workerUrl = pathToFileURL(path.join(folder.path, 'cannot-read.mjs'));
    await writeFile(
      workerUrl,
      `import { appendFileSync } from 'node:fs';
      import { workerData } from 'node:worker_threads';
      if (workerData.role === 'write') await import(${JSON.stringify(worker.href)});
      else {
        appendFileSync(${JSON.stringify(starts)}, 'started;');
        throw new Error('no memory');
      }`,
    );
    const platform = await startPlatform({ workerUrl });
    const read = async () => assert.equal((await platform.fetch('/sessions')).status, 200);
    try {
      await read();
      await eventually('it was tried', async () => (await readFile(starts, 'utf8')) !== '');
      for (let time = 0; time < 5; time++) {
        await read();
        await sleep(100);
      }
      assert.equal(await readFile(starts, 'utf8'), 'started;');
    } finally {
      await platform.close();
    }
  });

  it('leave no write-ahead log behind when they end', async () => {
    await using folder = await temporaryFolder();
    for (let time = 0; time < 3; time++) {
      const platform = await startPlatform({ dataDir: folder.path });
      assert.equal((await platform.fetch('/sessions')).status, 200);
      await platform.close();
      const left = (await readdir(folder.path)).filter((name) => name.startsWith('traces.db'));
      assert.deepEqual(left, ['traces.db']);
    }
  });

  it('report why they cannot start to every caller', async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'traces.db'), 'no database at all '.repeat(1_000));
    const tracing = tracingOf(folder.path);
    await assert.rejects(tracing.purgeWorkspace(purge), /traces\.db is damaged/);
    await tracing.close();
  });

  it('are not restarted after being stopped', async () => {
    await using folder = await temporaryFolder();
    const tracing = tracingOf(folder.path);
    await tracing.open();
    await tracing.close();
    await assert.rejects(tracing.purgeWorkspace(purge), /The server is stopping/);
  });

  it('let a caller retry when the lock is busy', () => {
    const problem = storageProblem(Object.assign(new Error('database is locked'), { errcode: 5 }));
    assert.deepEqual([problem?.status, problem?.headers], [503, { 'retry-after': '1' }]);
  });
});
