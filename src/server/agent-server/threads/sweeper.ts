import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { isRefused } from '../../storage/refused.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import { releaseCopies } from '../data/checkpoints/shared-rows.ts';
import { deleteEvents, deleteEventsOfThread, deleteRecordingsOfThread } from '../data/delete-in-slices.ts';
import type { ItemStore } from '../data/items/item-store.ts';
import type { ThreadRow, ThreadStore } from '../data/thread-store.ts';
import type { LiveRuns } from '../runs/live-runs.ts';

const SWEEP_INTERVAL_MS = 60_000;
const MINUTE_MS = 60_000;
/** The maximum number of rows per query, so that sweeps do not delay streams. */
const ROWS_PER_QUERY = 100;

export interface SweepSettings {
  /** The minutes between two sweeps of threads. */
  readonly threadsEveryMinutes: number;
  /** The maximum number of threads per sweep. */
  readonly maxThreads: number;
  /** The minutes between two sweeps of items. */
  readonly itemsEveryMinutes: number;
}

export interface SweeperOptions {
  readonly db: StateDatabase;
  readonly threads: ThreadStore;
  readonly checkpoints: CheckpointStore;
  readonly live: Pick<LiveRuns, 'onThread'>;
  readonly items: ItemStore;
  readonly log: LogBook;
  settings(): SweepSettings;
  onThreadChange(action: 'updated' | 'deleted', threadId: string): void;
}

type ExpiredThread = Pick<ThreadRow, 'thread_id' | 'ttl_strategy' | 'expires_at'>;

/**
 * Deletes what has expired: threads, or all but their newest state, depending on their strategy; items; and
 * the events of runs that ended a while ago.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  readonly #timer: NodeJS.Timeout;
  #threadsSweptAt = 0;
  #itemsSweptAt = 0;
  #closed = false;
  #working: Promise<void> = Promise.resolve();

  constructor(options: SweeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), SWEEP_INTERVAL_MS).unref();
  }

  /** Sweeps everything now, regardless of the intervals. */
  async sweep(): Promise<void> {
    await this.#sweepEvents();
    await this.#sweepThreads();
    await this.#options.items.sweep();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  #tick(): Promise<void> {
    this.#working = this.#working
      .then(() => this.#sweepDue())
      .catch((error: unknown) => {
        this.#options.log.write(
          'ERROR',
          `Could not delete expired threads, events or items: ${messageOf(error)}`,
        );
      });
    return this.#working;
  }

  async #sweepDue(): Promise<void> {
    const { db, threads, settings } = this.#options;
    // In a team, one server sweeps for all.
    if (!(await db.duties.take(`sweeper:${threads.deploymentId}`))) return;
    const { threadsEveryMinutes, itemsEveryMinutes } = settings();
    const now = Date.now();
    await this.#sweepEvents();
    if (now - this.#threadsSweptAt >= threadsEveryMinutes * MINUTE_MS) {
      this.#threadsSweptAt = now;
      await this.#sweepThreads();
    }
    if (now - this.#itemsSweptAt >= itemsEveryMinutes * MINUTE_MS) {
      this.#itemsSweptAt = now;
      await this.#options.items.sweep();
    }
  }

  async #sweepEvents(): Promise<void> {
    const { db, threads } = this.#options;
    for (;;) {
      const expired = await db
        .selectFrom('runs')
        .select(['run_id', 'thread_id'])
        .where('events_expire_at', '<=', new Date().toISOString())
        .where('deployment_id', '=', threads.deploymentId)
        .limit(ROWS_PER_QUERY)
        .execute();
      if (expired.length === 0 || this.#closed) return;
      for (const { run_id, thread_id } of expired) await deleteEvents(db, run_id, thread_id);
      const ids = expired.map(({ run_id }) => run_id);
      await db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('run_events').where('run_id', 'in', ids).execute();
        await transaction
          .updateTable('runs')
          .set({ events_expire_at: null })
          .where('run_id', 'in', ids)
          .execute();
      });
    }
  }

  async #sweepThreads(): Promise<void> {
    const { db, threads, live } = this.#options;
    let left = this.#options.settings().maxThreads;
    let after = '';
    const failures: string[] = [];
    while (left > 0 && !this.#closed) {
      const expired = await db
        .selectFrom('threads')
        .select(['thread_id', 'ttl_strategy', 'expires_at'])
        .where('expires_at', '<=', new Date().toISOString())
        .where('deployment_id', '=', threads.deploymentId)
        .where('status', '<>', 'busy')
        .where('thread_id', '>', after)
        .orderBy('thread_id')
        .limit(Math.min(ROWS_PER_QUERY, left))
        .execute();
      if (expired.length === 0) break;
      for (const thread of expired) {
        after = thread.thread_id;
        // Busy threads are checked again at the next sweep.
        if (live.onThread(after).length > 0) continue;
        try {
          await this.#expire(thread);
        } catch (error) {
          if (error instanceof DatabaseUnreachable) throw error;
          // One damaged thread must not keep the others from expiring.
          failures.push(`Thread ${after} could not be deleted or shortened: ${messageOf(error)}`);
        }
      }
      left -= expired.length;
    }
    const [first] = failures;
    if (first === undefined) return;
    const more = failures.length === 1 ? '' : ` (and ${failures.length - 1} more)`;
    this.#options.log.write('ERROR', `${first}${more}`);
  }

  async #expire(thread: ExpiredThread): Promise<void> {
    if (thread.ttl_strategy === 'keep_latest') await this.#keepLatest(thread);
    else if (await this.#isStillExpired(thread)) await this.#delete(thread);
  }

  /** Deletes all but the newest state of a thread, unless the thread has been used or deleted since. */
  async #keepLatest({ thread_id, expires_at }: ExpiredThread): Promise<void> {
    const { db, checkpoints, onThreadChange } = this.#options;
    const expires = db
      .updateTable('threads')
      .set({ expires_at: null })
      .where('thread_id', '=', thread_id)
      .where('expires_at', '=', expires_at)
      .where('status', '<>', 'busy');
    const pruned = checkpoints.keepLatest(thread_id, (unit) => unit.expect(expires, 'gone'));
    const isPruned = await pruned.then(() => true, ignoreGone);
    if (isPruned) onThreadChange('updated', thread_id);
  }

  /** Deletes a thread, unless it has been used or copied since. */
  async #delete({ thread_id, expires_at }: ExpiredThread): Promise<void> {
    const { db, threads, onThreadChange } = this.#options;
    // The state is deleted last, in one step, because until then, a run may be accepted on the thread.
    await deleteEventsOfThread(db, thread_id);
    await deleteRecordingsOfThread(db, thread_id);
    await releaseCopies(db, thread_id);
    const { numDeletedRows } = await db
      .deleteFrom('threads')
      .where('thread_id', '=', thread_id)
      .where('deployment_id', '=', threads.deploymentId)
      .where('expires_at', '=', expires_at)
      .where('status', '<>', 'busy')
      // If the thread has just been copied, it is left to the next sweep.
      .where(({ exists, not, selectFrom }) =>
        not(exists(selectFrom('histories').select('thread_id').where('base_id', '=', thread_id))),
      )
      .executeTakeFirst();
    if (numDeletedRows > 0n) onThreadChange('deleted', thread_id);
  }

  /** Whether a thread's time to live is still the same as when the expired threads were listed. */
  async #isStillExpired({ thread_id, expires_at }: ExpiredThread): Promise<boolean> {
    const row = await this.#options.db
      .selectFrom('threads')
      .select('thread_id')
      .where('thread_id', '=', thread_id)
      .where('expires_at', '=', expires_at)
      .executeTakeFirst();
    return row !== undefined;
  }
}

/** Drops the refusal of a unit as gone. @returns false */
function ignoreGone(error: unknown): false {
  if (!isRefused(error, 'gone')) throw error;
  return false;
}
