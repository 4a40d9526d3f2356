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
import { foundation } from './migrations/state-0001-foundation.ts';
import { agentServer } from './migrations/state-0002-agent-server.ts';
import { controlPlane } from './migrations/state-0003-control-plane.ts';
import { threadCounts } from './migrations/state-0004-thread-counts.ts';
import { workspaceSecrets } from './migrations/state-0005-workspace-secrets.ts';
import { checkpointOrder } from './migrations/state-0006-checkpoint-order.ts';
import { providerWorkspace } from './migrations/state-0007-provider-workspace.ts';
import { cutOffRuns } from './migrations/state-0008-cut-off-runs.ts';
import { exchanges } from './migrations/state-0009-exchanges.ts';
import { runEnds } from './migrations/state-0010-run-ends.ts';
import { recordings } from './migrations/state-0011-recordings.ts';
import { histories } from './migrations/state-0012-histories.ts';
import { keyRights } from './migrations/state-0013-key-rights.ts';
import { costs } from './migrations/state-0014-costs.ts';
import { operations } from './migrations/state-0015-operations.ts';
import { runRevisions } from './migrations/state-0016-run-revisions.ts';
import { NodeSqliteDialect, openSqlite } from './node-sqlite-dialect.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { type Reading, readAll, readFirst } from './reading.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { SqliteUnit } from './sqlite-unit.ts';
import type { StateSchema } from './state-schema.ts';
import { stateStructure } from './state-structure.ts';
import { refuseWaiting } from './sync-database.ts';
import type { Unit, Waiting, Write } from './unit.ts';
import { type Much, WalThread } from './wal-thread.ts';

/**
 * How many changed rows are enough to merge the log: runs of graphs change one to three pages of 4 KB per row, so the
 * log then has 15 to 40 MB.
 */
const MUCH: Much = { changed: 'total_changes()', enough: 4_000 };

/** The tables of everything but traces, in SQLite or PostgreSQL. */
export abstract class StateDatabase extends Kysely<StateSchema> {
  /** Hints about stored changes. */
  readonly bus: Bus = new Bus();
  /** Whether a unit is stored within one turn of the event loop, because there is no round trip to the database. */
  readonly isNear: boolean = true;
  /** Work that only one of the database's servers does at a time. */
  readonly duties: Duties = new OwnDuties(this);
  /** Work that each of the database's servers looks for. */
  readonly claims: Claims = new OwnClaims();
  /** Resolves when this server must not continue, because another one may now be using the database. */
  readonly lost: Promise<DataFolderError> = new Promise(() => {});

  /** Names this server among those that use or have used the database. */
  abstract readonly node: string;

  /**
   * Units of one lane are stored in the order in which they are queued; several may be stored at once.
   * @returns the lane of a thread.
   */
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

  /** Runs work that several servers must not do at the same time when they start. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  /**
   * Answers from memory, unless other servers may have changed the data.
   * @param remembered looks into memory, and calls its argument for missing data.
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
   * Checks without a query whether the database is reachable. @throws DatabaseUnreachable when it has not answered for
   * so long that other servers continue this server's work.
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

  /** From now on, this server takes over nothing from others, and they hand nothing over to it. */
  async drain(): Promise<void> {}

  /** Announces that this server serves a deployment from now on, and may take over its runs. */
  async serve(_deploymentId: string): Promise<void> {}

  /** Announces that this server no longer serves a deployment. */
  async stopServing(_deploymentId: string): Promise<void> {}

  /** Names the servers that use the database. */
  async listServers(): Promise<ReadonlySet<string>> {
    return new Set([this.node]);
  }

  /** Names another server that can continue a deployment's runs on this server; undefined if there is none. */
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
 * `state.db`, accessed in two ways over one connection: Kysely's queries wait for each other, which takes several times
 * as long as SQLite itself; the frequent queries of every run use plain functions.
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
    this.#wal = new WalThread(sqlite, MUCH);
  }

  /** One lane for all: a transaction contains the writes of all threads in a turn. */
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

/** Every migration of `state.db`, in order; a released one is never changed. */
export const stateMigrations = {
  '0001-foundation': foundation,
  '0002-agent-server': agentServer,
  '0003-control-plane': controlPlane,
  '0004-thread-counts': threadCounts,
  '0005-workspace-secrets': workspaceSecrets,
  '0006-checkpoint-order': checkpointOrder,
  '0007-provider-workspace': providerWorkspace,
  '0008-cut-off-runs': cutOffRuns,
  '0009-exchanges': exchanges,
  '0010-run-ends': runEnds,
  '0011-recordings': recordings,
  '0012-histories': histories,
  '0013-key-rights': keyRights,
  '0014-costs': costs,
  '0015-operations': operations,
  '0016-run-revisions': runRevisions,
};

/**
 * Opens `state.db` of a data folder at the newest schema.
 * @param version the version of this program. @throws DataFolderError
 */
export function openStateDatabase(dataDir: string, version?: string): Promise<StateDatabase> {
  const file = path.join(dataDir, 'state.db');
  return openingFile(file, async () => {
    refuseLostFile(dataDir, 'state.db');
    const database = openSqlite(file);
    // Pages that are written again and again between two checkpoints reach the file once (see `openTracesDatabase`). A
    // separate thread makes most checkpoints before this connection has to. The operating system also caches the file's
    // pages, so half of SQLite's usual cache is enough.
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
