import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ChangeFeed } from '../../../src/server/http/change-feed.ts';
import { storageProblem } from '../../../src/server/http/storage-problem.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { Tracing } from '../../../src/server/traces-thread/tracing.ts';
import { startPlatform, tracesWorkerUrl } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the threads that own traces', function () {
  this.timeout(60_000);

  const tracingOf = (dataDir: string) =>
    new Tracing({
      dataDir,
      baseUrl: () => 'http://127.0.0.1:1',
      changes: new ChangeFeed(),
      logger: makeLogger({ level: 'silent' }),
      workerUrl: tracesWorkerUrl,
    });
  const purge = { workspaceId: 'a', recordIn: 'b', by: null };

  it('read and answer during long writes', async () => {
    const platform = await startPlatform();
    // Both threads are there from now on.
    assert.equal((await platform.fetch('/sessions')).status, 200);
    // The server may be writing itself at this moment.
    const writer = new DatabaseSync(path.join(platform.dataDir, 'traces.db'), { timeout: 10_000 });
    try {
      writer.exec('BEGIN IMMEDIATE');
      const answer = await platform.fetch('/sessions?name=nobody');
      assert.deepEqual([answer.status, await answer.json()], [200, []]);
    } finally {
      writer.close();
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
