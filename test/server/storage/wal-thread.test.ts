import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { WalThread } from '../../../src/server/storage/wal-thread.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

const ROWS_PER_COMMIT = 500;
/** More than the minimum time between two queries for the number of changes. */
const INTERVAL_MS = 100;

describe('the write-ahead log of a busy state.db', () => {
  let folder: string;
  let db: StateDatabase;
  let written = 0;

  /** Rows that do not depend on others. */
  const write = () =>
    db.commit((unit) => {
      for (let row = 0; row < ROWS_PER_COMMIT; row++) {
        const name = `row ${written++}`;
        unit.do(unit.build.insertInto('organizations').values({ id: name, name, created_at: '2026' }));
      }
    });

  /** The content of the file alone, as if there were no log. */
  async function rowsInFile(): Promise<number> {
    const copy = path.join(folder, 'copy.db');
    await copyFile(path.join(folder, 'state.db'), copy);
    const file = new DatabaseSync(copy);
    try {
      return Number(file.prepare("SELECT count(*) AS n FROM organizations WHERE id LIKE 'row %'").get()?.n);
    } finally {
      file.close();
      for (const end of ['', '-wal', '-shm']) await rm(`${copy}${end}`, { force: true });
    }
  }

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-wal-'));
    db = await openStateDatabase(folder);
  });
  after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });

  it('is merged into the file while writing goes on', async () => {
    await eventually(
      'thousands of rows are in the file',
      async () => {
        // The writing connection is never idle, and the log stays far below the size at which this connection
        // would merge it.
        await write();
        return rowsInFile();
      },
      (rows) => rows >= 4_000,
    );
  });

  it('ends with the database, which leaves one file', async () => {
    for (let commit = 0; commit < 20; commit++) await write();
    await db.destroy();
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.startsWith('state.db')),
      ['state.db'],
    );
    db = await openStateDatabase(folder);
    const { n } = await db
      .selectFrom('organizations')
      .select((query) => query.fn.countAll().as('n'))
      .where('id', 'like', 'row %')
      .executeTakeFirstOrThrow();
    assert.equal(Number(n), written);
  });
});

describe('the thread that merges a write-ahead log', () => {
  it('is not started again by a commit after it was closed', async () => {
    await using folder = await temporaryFolder();
    const database = new DatabaseSync(path.join(folder.path, 'some.db'));
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE words (word TEXT)');
    const thread = new WalThread(database, { measure: 'total_changes()', minGrowth: 1 });
    let started = 0;
    const count = () => started++;
    process.on('worker', count);
    const commit = () => {
      database.exec("INSERT INTO words VALUES ('more')");
      thread.afterCommit();
    };
    try {
      commit();
      await eventually('the thread was started', () => started === 1);
      await thread.close();
      const since = performance.now();
      await eventually('the changes are counted again', () => performance.now() - since > INTERVAL_MS);
      commit();
      await new Promise(setImmediate);
      assert.equal(started, 1);
    } finally {
      process.off('worker', count);
      await thread.close();
      database.close();
    }
  });
});
