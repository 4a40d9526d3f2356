import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WorkerThread } from '../../../src/server/traces-thread/worker-thread.ts';
import { type Rests, WritingThread } from '../../../src/server/traces-thread/writing-thread.ts';
import { serverBundles } from '../../support/server-bundles.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('the thread that stores traces, at rest', function () {
  this.timeout(180_000);
  let worker: URL;
  before(async () => {
    worker = (await serverBundles()).tracesWorker;
  });

  function storing(dataDir: string, rests: Rests) {
    const seen = { starts: 0, deaths: 0, looks: 0, calls: 0, mayRest: true, cannotStart: 0 };
    const thread = new WritingThread({
      start: () => {
        seen.starts++;
        const isBroken = seen.cannotStart-- > 0;
        const folder = isBroken ? path.join(dataDir, 'no such folder') : dataDir;
        const started = new WorkerThread(worker, { role: 'write', dataDir: folder });
        const call = started.call.bind(started);
        started.call = (...asked) => {
          seen.calls++;
          return call(...asked);
        };
        return started;
      },
      onDied: () => void seen.deaths++,
      mayRest: () => {
        seen.looks++;
        return seen.mayRest;
      },
      rests,
    });
    const store = (name: string): Promise<{ id: string }> =>
      thread.call('createSession', { workspaceId: 'w', upsert: false, session: { name } });
    return { thread, store, seen };
  }

  function inFile<Result>(dataDir: string, use: (db: DatabaseSync) => Result): Result {
    const db = new DatabaseSync(path.join(dataDir, 'traces.db'), { timeout: 10_000 });
    try {
      return use(db);
    } finally {
      db.close();
    }
  }

  /** Stores a trace without runs that expires at this time. */
  function addTrace(dataDir: string, expiresAtMs: number): void {
    inFile(dataDir, (db) => {
      const { workspace, key } = db.prepare('SELECT workspace, key FROM sessions').get() ?? {};
      db.prepare(
        `INSERT INTO traces (id, workspace, session, tier, ttl_days, first_received_at, expires_at, run_count)
         VALUES ('t', ?, ?, 'shortlived', 14, 0, ?, 0)`,
      ).run(workspace ?? null, key ?? null, expiresAtMs * 1_000);
    });
  }

  const countTraces = (dataDir: string) =>
    inFile(dataDir, (db) => Number(db.prepare('SELECT count(*) AS count FROM traces').get()?.count));

  it('ends, leaves one file, and is there again for the next call', async () => {
    await using folder = await temporaryFolder();
    const { thread, store, seen } = storing(folder.path, {
      afterCallMs: 1,
      afterStartMs: 1,
      minRestMs: 60_000,
    });
    await thread.open();
    await eventually('it has ended without a request', () => !thread.isRunning);
    const [first, second] = await Promise.all([store('first'), store('second')]);
    assert.notEqual(first.id, second.id);
    await eventually('it has ended once more', () => !thread.isRunning);
    await thread.close();
    assert.deepEqual([seen.starts, seen.deaths], [2, 0]);
    assert.deepEqual(
      (await readdir(folder.path)).filter((name) => name.startsWith('traces.db')),
      ['traces.db'],
    );
    assert.deepEqual(
      inFile(folder.path, (db) => db.prepare('SELECT name FROM sessions ORDER BY name').all()).map(
        ({ name }) => name,
      ),
      ['first', 'second'],
    );
  });

  it('stays while it may not rest, even if it is asked nothing', async () => {
    await using folder = await temporaryFolder();
    const { thread, seen } = storing(folder.path, { afterCallMs: 1, afterStartMs: 1, minRestMs: 60_000 });
    seen.mayRest = false;
    await thread.open();
    await eventually('it has looked three times', () => seen.looks >= 3);
    assert.equal(thread.isRunning, true);
    assert.equal(seen.calls, 0);
    await thread.close();
    assert.equal(seen.starts, 1);
  });

  it('stays for what expires soon, and ends for what expires later', async () => {
    await using folder = await temporaryFolder();
    const { thread, store, seen } = storing(folder.path, {
      afterCallMs: 1,
      afterStartMs: 1,
      minRestMs: 60_000,
    });
    await store('project');
    await eventually('it has ended', () => !thread.isRunning);
    addTrace(folder.path, Date.now() + 55_000);
    await thread.open();
    const { looks } = seen;
    await eventually('it has looked three times more', () => seen.looks >= looks + 3);
    assert.equal(thread.isRunning, true);
    inFile(folder.path, (db) =>
      db.prepare('UPDATE traces SET expires_at = ?').run((Date.now() + 3_600_000) * 1_000),
    );
    await eventually('it has ended', () => !thread.isRunning);
    await thread.close();
    assert.equal(countTraces(folder.path), 1);
  });

  it('starts by itself to delete what has expired, even if a start fails', async () => {
    await using folder = await temporaryFolder();
    const { thread, store, seen } = storing(folder.path, { afterCallMs: 1, afterStartMs: 1, minRestMs: 0 });
    await store('project');
    await eventually('it has ended', () => !thread.isRunning);
    addTrace(folder.path, Date.now() + 25_000);
    await thread.open();
    await eventually('it has ended, with the trace in its file', () => !thread.isRunning);
    assert.equal(countTraces(folder.path), 1);
    // For example because another program uses the file, or the disk is full.
    seen.cannotStart = 2;
    const isGone = () => countTraces(folder.path) === 0;
    await eventually('the trace is gone without a request', isGone, Boolean, 60_000);
    assert.ok(seen.deaths >= 2, 'it has been tried again');
    await eventually('it has ended after its work', () => !thread.isRunning);
    await thread.close();
    assert.ok(seen.starts >= 5);
  });
});
