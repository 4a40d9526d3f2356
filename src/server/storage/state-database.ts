import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Metric } from '../metric-text.ts';
import { Bus } from './bus.ts';
import { type Claims, OwnClaims } from './claims.ts';
import { type DataFolderError, openingFile } from './data-folder-error.ts';
import { type Duties, OwnDuties } from './duties.ts';
import { checkpointWhenIdle } from './idle-checkpoint.ts';
import { refuseLostFile } from './lost-database.ts';
import { migrate } from './migrate.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openSqlite } from './open-sqlite.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { type Reading, readAll, readFirst } from './reading.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { SqliteUnit } from './sqlite-unit.ts';
import { stateMigrations } from './state-migrations.ts';
import type { StateSchema } from './state-schema.ts';
import { stateStructure } from './state-structure.ts';
import { refuseWaiting } from './sync-database.ts';
import type { Unit, Waiting, Write } from './unit.ts';
import { type MergeThreshold, WalThread } from './wal-thread.ts';

/** Runs of graphs change one to three pages of 4 KB per row, so the log is merged when it has 15 to 40 MB. */
const MERGE_THRESHOLD: MergeThreshold = { changed: 'total_changes()', enough: 4_000 };

/**
 * The database of everything but traces, in SQLite or PostgreSQL. The methods with an implementation here are those of a
 * server that does not share its database.
 */
export abstract class StateDatabase extends Kysely<StateSchema> {
  /** Hints about stored changes. */
  readonly bus: Bus = new Bus();
  /** Whether a unit is stored within one turn of the event loop, without a round trip to another process. */
  readonly isNear: boolean = true;
  /** Duties: work that only one of the database's servers does at a time. */
  readonly duties: Duties = new OwnDuties(this);
  /** Claims of rows with work, for which each of the database's servers looks. */
  readonly claims: Claims = new OwnClaims();
  /** Resolves when this server must not continue, because another one may now be using the database. */
  readonly lost: Promise<DataFolderError> = new Promise(() => {});

  /** The name of this server among all servers that use or have used the database. */
  abstract readonly node: string;

  /** The lane of a thread. Units of the same lane are stored in the order in which they are queued. */
  abstract laneOf(threadId: string): string;

  /** Answers queries that depend on each other from one snapshot of the database. */
  abstract look<Result>(reading: () => Reading<Result>): Promise<Result>;

  /**
   * Stores a unit of writes as a whole or not at all.
   * @param subject the thread that the unit concerns, or another name; units with the same subject wait for each other.
   * @param waiting how it waits while the database cannot be reached; by default for a limited time.
   * @throws Refused when a condition of the unit does not hold, and the errors of the unit.
   */
  abstract commit(write: Write, subject?: string, waiting?: Waiting): Promise<void>;

  /** Runs work of a start that several servers must not do at the same time. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /**
   * Reads data from memory, or from the database if other servers may have changed it.
   * @param read reads the data from the database.
   * @param remembered reads the data from memory, and calls its argument for missing data.
   */
  remember<Row>(
    read: () => Promise<Row>,
    remembered: (read: () => Promise<Row>) => Promise<Row>,
  ): Promise<Row> {
    return remembered(read);
  }

  /** Retries a read for some time while the database cannot be reached. */
  patiently<Result>(read: () => Promise<Result>): Promise<Result> {
    return read();
  }

  /** Retries idempotent work while the database cannot be reached, without a time limit. */
  outlasting<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /**
   * Checks without a query whether the database is reachable.
   * @throws DatabaseUnreachable when it has not answered for so long that other servers continue this server's work.
   */
  checkReachable(): void {}

  /** Reads the metrics of the whole database, if servers share it. */
  async readGauges(): Promise<readonly Metric[]> {
    return [];
  }

  /** Metrics of this server's connections, if it has several. */
  readConnections(_isReached: boolean): readonly Metric[] {
    return [];
  }

  /** From now on, nothing waits for an unreachable database, because the server is stopping. */
  stopWaiting(): void {}

  /** From now on, this server takes over no work of other servers, and they hand no work over to it. */
  async drain(): Promise<void> {}

  /** Announces that this server serves a deployment from now on, and may take over its runs. */
  async serve(_deploymentId: string): Promise<void> {}

  /** Announces that this server no longer serves a deployment. */
  async stopServing(_deploymentId: string): Promise<void> {}

  /** The names of the servers that use the database. */
  async listServers(): Promise<ReadonlySet<string>> {
    return new Set([this.node]);
  }

  /** The name of another server that can continue a deployment's runs; undefined if there is none. */
  async findHeir(_deploymentId: string): Promise<string | undefined> {
    return undefined;
  }

  /** The first row of one query. */
  find<Values extends object, Row>(
    query: PreparedQuery<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row | undefined> {
    return this.look(() => readFirst(query, values));
  }

  /** All rows of one query. */
  findAll<Values extends object, Row>(
    query: PreparedQuery<Values, Row>,
    values: NoInfer<Values>,
  ): Promise<Row[]> {
    return this.look(() => readAll(query, values));
  }
}

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
