import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import type { ReplicaOutcome } from '../../traces-thread/worker-protocol.ts';
import { type DatabaseLink, type Link, StatementError } from '../postgres/link/database-link.ts';
import { type LinkBatch, type LinkResult, USUAL_MS } from '../postgres/link/link-protocol.ts';

/** How long a query waits until a replica has all writes that the caller may know about. */
const WAIT_MS = 50;
/** The interval at which a replica is checked while a query waits. */
const LOOK_MS = 2;
/** After this time without a response, a replica counts as unreachable. */
const SILENT_MS = 2_000;

/**
 * Reads the end of the write-ahead log: everything that has been acknowledged is before that. With `synchronous_commit`
 * off, this part of the log may not be on disk yet.
 */
const MARK = `WITH at AS (SELECT CASE current_setting('synchronous_commit') WHEN 'off'
    THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn)
  SELECT lsn::text, ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int AS timeline,
    (SELECT system_identifier::text FROM pg_control_system()) AS system FROM at`;
/**
 * Checks whether a replica has everything before a mark. After a failover, it must have seen a checkpoint of the new
 * primary: a replica that still follows the old primary has writes that are no longer in the database.
 */
const LOOK = `SELECT pg_is_in_recovery() AND $1::pg_lsn <= pg_last_wal_replay_lsn() AS has_all,
  pg_is_in_recovery() AND (SELECT system_identifier::text FROM pg_control_system()) = $2 AS is_ours,
  (SELECT timeline_id FROM pg_control_checkpoint()) = $3 AS follows`;

/**
 * A database and its replica. The replica answers a query once it has all writes that were acknowledged when the query
 * began. The database answers while the replica is behind or unreachable, or when the replica cancels a query.
 */
export class ReplicatedLink implements Link {
  readonly #primary: DatabaseLink;
  readonly #replica: DatabaseLink;
  readonly #tell: (outcome: ReplicaOutcome) => void;
  #current: DatabaseLink;
  #wasBehind = false;

  /** @param tell receives the outcome of each query. */
  constructor(primary: DatabaseLink, replica: DatabaseLink, tell: (outcome: ReplicaOutcome) => void) {
    this.#primary = primary;
    this.#replica = replica;
    this.#tell = tell;
    this.#current = primary;
  }

  ask(batch: LinkBatch): readonly LinkResult[] {
    return this.#current.ask(batch);
  }

  /** Answers a query. @param work must only read, because it may be repeated. */
  question<Result>(work: () => Result): Result {
    const outcome = this.#look();
    if (outcome === 'answered') {
      const answer = this.#askReplica(work);
      if (answer !== undefined) return answer.result;
    } else this.#tell(outcome);
    return work();
  }

  async close(): Promise<void> {
    await Promise.all([this.#primary.close(), this.#replica.close()]);
  }

  /** Lets the replica answer. @returns undefined when it could not. @throws any other error of the work */
  #askReplica<Result>(work: () => Result): { readonly result: Result } | undefined {
    this.#current = this.#replica;
    let outcome: ReplicaOutcome = 'answered';
    try {
      return { result: work() };
    } catch (error) {
      if (error instanceof DatabaseUnreachable) outcome = 'away';
      else if (error instanceof StatementError) outcome = 'canceled';
      else throw error;
      return undefined;
    } finally {
      this.#current = this.#primary;
      this.#tell(outcome);
    }
  }

  /** Checks whether the replica can answer, and waits a moment for one that is behind. */
  #look(): ReplicaOutcome {
    if (!this.#replica.isConnected) return 'away';
    const mark = this.#mark();
    if (mark === undefined) return 'behind';
    // If the replica was behind the last time, it is not waited for again.
    const until = performance.now() + (this.#wasBehind ? 0 : WAIT_MS);
    for (;;) {
      const outcome = this.#compare(mark);
      this.#wasBehind = outcome === 'behind';
      if (outcome !== 'behind' || performance.now() >= until) return outcome;
      blockFor(LOOK_MS);
    }
  }

  /**
   * @returns the current mark; undefined while it is unknown, for example when a standby is about to replace the
   * database.
   */
  #mark(): readonly unknown[] | undefined {
    try {
      const row = askOne(this.#primary, MARK, [], USUAL_MS);
      return [row?.lsn, row?.system, row?.timeline];
    } catch (error) {
      if (error instanceof StatementError) return undefined;
      throw error;
    }
  }

  /** Checks once whether the replica has everything before a mark. */
  #compare(mark: readonly unknown[]): ReplicaOutcome {
    try {
      const row = askOne(this.#replica, LOOK, mark, SILENT_MS);
      if (row?.is_ours !== 1) return 'unrelated';
      return row.has_all === 1 && row.follows === 1 ? 'answered' : 'behind';
    } catch (error) {
      // A replica that refuses the statement, for example because the user lacks rights there, counts as
      // unrelated.
      return error instanceof DatabaseUnreachable ? 'away' : 'unrelated';
    }
  }
}

function askOne(
  link: DatabaseLink,
  text: string,
  values: readonly unknown[],
  withinMs: number,
): Readonly<Record<string, unknown>> | undefined {
  const statements = [{ text, values, isPrepared: true }];
  const [result] = link.ask({ statements, continues: false, isRepeatable: true, withinMs });
  return result?.rows[0];
}

/** Blocks the thread, which has nothing else to do in the meantime. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}
