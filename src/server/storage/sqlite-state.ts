import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { checkpointWhenIdle } from './idle-checkpoint.ts';
import { refuseLostFile } from './lost-database.ts';
import { migrate } from './migrate.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';
import { openingFile } from './opening-file.ts';
import type { Reading } from './reading.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { SqliteUnit } from './sqlite-unit.ts';
import { StateDatabase } from './state-database.ts';
import { stateMigrations } from './state-migrations.ts';
import type { StateSchema } from './state-schema.ts';
import { stateStructure } from './state-structure.ts';
import { refuseWaiting } from './sync-database.ts';
import type { Unit, Write } from './unit.ts';
import { type MergeThreshold, WalThread } from './wal-thread.ts';

/** Runs of graphs change one to three pages of 4 KB per row, so the log is merged when it has 15 to 40 MB. */
const MERGE_THRESHOLD: MergeThreshold = { measure: 'total_changes()', minGrowth: 4_000 };

/**
 * `state.db`. Kysely's queries are asynchronous and wait for each other, which takes several times as long as the query in
 * SQLite. The frequent queries of runs therefore use the same connection synchronously.
 */
export class SqliteState extends StateDatabase {
  override readonly node = randomUUID();
  readonly #now: SqliteDatabase<StateSchema>;
  readonly #unit: Unit;
  readonly #wal: WalThread;

  constructor(sqlite: DatabaseSync) {
    super({ dialect: new NodeSqliteDialect(sqlite) });
    this.#now = new SqliteDatabase(sqlite);
    this.#unit = new SqliteUnit(this.#now);
    this.#wal = new WalThread(sqlite, MERGE_THRESHOLD);
  }

  /** There is one lane for all threads: one transaction stores all units of a turn of the event loop. */
  laneOf(): string {
    return '';
  }

  look<Result>(reading: () => Reading<Result>): Promise<Result> {
    return this.#immediately(() => {
      const questions = reading();
      let step = questions.next();
      while (step.done !== true) step = questions.next(step.value.all(this.#now));
      return step.value;
    });
  }

  commit(write: Write): Promise<void> {
    return this.#immediately(() => {
      this.#now.transaction(() => refuseWaiting(write(this.#unit)));
      this.#wal.afterCommit();
    });
  }

  override async destroy(): Promise<void> {
    await this.#wal.close();
    await super.destroy();
    // Kysely closes only connections that its own queries have used.
    if (this.#now.sqlite.isOpen) this.#now.close();
  }

  /** Calls a function immediately, or after the open transaction. */
  async #immediately<Result>(work: () => Result): Promise<Result> {
    // If a transaction is open, the work has to wait for the connection until it has ended.
    return this.#now.sqlite.isTransaction ? this.connection().execute(async () => work()) : work();
  }
}

/**
 * Opens `state.db` of a data folder, and updates it to the newest schema.
 * @param version the version of this program.
 * @throws DataFolderError
 */
export function openStateDatabase(dataDir: string, version?: string): Promise<StateDatabase> {
  const file = path.join(dataDir, 'state.db');
  return openingFile(file, async () => {
    refuseLostFile(dataDir, 'state.db');
    const database = openSqlite(file);
    // With few checkpoints, pages that are written repeatedly are copied to the file once (see `openTracesDatabase`). A
    // separate thread makes most checkpoints before this connection has to. The operating system also caches pages, so
    // half of SQLite's usual cache is enough.
    database.exec('PRAGMA wal_autocheckpoint = 16000; PRAGMA cache_size = -8000');
    const db = new SqliteState(database);
    try {
      await migrate(db, {
        migrations: stateMigrations,
        database,
        structure: stateStructure,
        name: 'state',
        dataDir,
        version,
      });
    } catch (error) {
      // On Windows, an open file can be neither deleted nor replaced.
      database.close();
      throw error;
    }
    checkpointWhenIdle(database);
    return db;
  });
}
