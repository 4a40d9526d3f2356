import { Kysely } from 'kysely';
import type { Metric } from '../metric-text.ts';
import { Bus } from './bus.ts';
import { type Claims, OwnClaims } from './claims.ts';
import type { DataFolderError } from './data-folder-error.ts';
import { type Duties, OwnDuties } from './duties.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { type Reading, readAll, readFirst } from './reading.ts';
import type { StateSchema } from './state-schema.ts';
import type { Waiting, Write } from './unit.ts';

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
