import { RunCreate, RunCreateStateless } from '../../../contract/agent-server/runs.ts';
import { messageOf } from '../../../process/message-of.ts';
import { storageProblem } from '../../http/storage-problem.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import { isRefused } from '../../storage/refused.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Write } from '../../storage/unit.ts';
import { NOBODY } from '../auth/run-author.ts';
import type { CronRow, CronStore } from '../data/cron-store.ts';
import type { RunRequests } from '../requests/run-requests.ts';
import { nextRun } from './schedule.ts';

/** The maximum time between checks, because clocks change and machines sleep. */
const MAX_WAIT_MS = 30_000;
/** The pause before a failed write is tried again. */
const RETRY_MS = 5_000;
/**
 * The system's clock counts as set back if it has moved back by more than this. Smaller changes are
 * corrections.
 */
const SET_BACK_MS = 2_000;

export interface CronClockOptions {
  readonly store: CronStore;
  readonly requests: Pick<RunRequests, 'createStateless' | 'createOnThread'>;
  readonly log: LogBook;
  readonly maxWaitMs?: number;
}

/** Starts the runs of crons when they are due, and stores the next time together with the run. */
export class CronClock {
  readonly #options: CronClockOptions;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;
  /** The time of the last check, to notice that the system's clock was set back. */
  #lastNow = 0;
  /**
   * The crons that were long overdue when this clock started, with their times, by id. They are left to other servers at
   * first, which may be about to start their runs.
   */
  readonly #leftToOthers = new Map<string, string | null>();
  /** Until when crons are left to other servers, on the clock of `performance.now`. */
  #leftUntil = 0;

  constructor(options: CronClockOptions) {
    this.#options = options;
  }

  /**
   * Starts the clock. Times that were missed while no server was running are skipped. In a team, other servers first have
   * a while to start the runs of these times.
   */
  async start(): Promise<void> {
    const { store } = this.#options;
    const patienceMs = store.claims.patienceFor(2 * this.#maxWaitMs);
    const now = Date.now();
    for (const row of await store.listScheduled()) {
      const dueAt = Date.parse(row.next_run_date ?? '');
      if (dueAt > now - patienceMs) continue;
      // An invalid time counts as missed.
      if (patienceMs === 0 || Number.isNaN(dueAt)) await this.#skipMissed(row);
      else this.#leftToOthers.set(row.cron_id, row.next_run_date);
    }
    this.#leftUntil = performance.now() + patienceMs;
    this.wake();
  }

  async #skipMissed(row: CronRow): Promise<void> {
    const { store, log } = this.#options;
    const next_run_date = this.#nextOf(row, new Date(Date.now()));
    await store.skip(row, next_run_date ?? null);
    if (next_run_date === undefined) return;
    log.write(
      'WARNING',
      `Cron ${row.cron_id} missed its run at ${row.next_run_date} because no server was running.`,
    );
  }

  /** Schedules a check, because a cron was created or changed. */
  wake(): void {
    this.#working = this.#working
      .then(() => this.#tick())
      .catch((error: unknown) => {
        this.#options.log.write(
          'ERROR',
          `Could not start the runs of crons, trying again in a few seconds: ${messageOf(error)}`,
        );
        // The storage may work again later, for example when a full disk has free space.
        this.#wakeIn(Math.min(RETRY_MS, this.#maxWaitMs));
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #tick(): Promise<void> {
    if (this.#closed) return;
    const { store } = this.#options;
    const now = new Date(Date.now());
    if (now.getTime() < this.#lastNow - SET_BACK_MS) await this.#planAgain(now);
    this.#lastNow = now.getTime();
    const due = await store.listDue(now.toISOString());
    const isOwn = ({ cron_id, next_run_date }: CronRow) => this.#leftToOthers.get(cron_id) !== next_run_date;
    const own = due.filter(isOwn);
    if (performance.now() > this.#leftUntil) {
      for (const row of due.filter((one) => !isOwn(one))) await this.#skipMissed(row);
      this.#leftToOthers.clear();
    }
    await this.#fireAll(own);
    const earliest = await store.findEarliest(now.toISOString());
    clearTimeout(this.#timer);
    // In a team, this checks again even if no cron is known, because another server may create one and then stop.
    const waitMs = earliest === undefined ? undefined : Math.max(0, Date.parse(earliest) - Date.now());
    const inMs = store.claims.lookAfter(waitMs, this.#maxWaitMs);
    if (inMs !== undefined) this.#wakeIn(Math.min(this.#maxWaitMs, inMs));
  }

  /** Computes all next times again after the clock was set back, because the existing ones are too late. */
  async #planAgain(now: Date): Promise<void> {
    const { store } = this.#options;
    for (const row of await store.listScheduled()) {
      const next_run_date = this.#nextOf(row, now) ?? null;
      if (next_run_date !== row.next_run_date) await store.skip(row, next_run_date);
    }
  }

  /**
   * The time when a cron runs next; null for never.
   * @returns undefined for a damaged row, which is logged, so that the others still run.
   */
  #nextOf(row: CronRow, after: Date): string | null | undefined {
    try {
      return nextRun(timingOf(row), after);
    } catch (error) {
      const reason = messageOf(error);
      this.#options.log.write(
        'ERROR',
        `Cron ${row.cron_id} is not valid and does not run until it is updated: ${reason}`,
      );
      return undefined;
    }
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.wake(), ms).unref();
  }

  get #maxWaitMs(): number {
    return this.#options.maxWaitMs ?? MAX_WAIT_MS;
  }

  /**
   * Starts the runs of all due crons. Those of the same thread start one after the other, and those of
   * different threads concurrently, so that none waits for a run of another thread that cannot be stored.
   * @throws the error of a cron that remains due, once all others have been tried.
   */
  async #fireAll(due: readonly CronRow[]): Promise<void> {
    const lines = [...Map.groupBy(due, ({ thread_id, cron_id }) => thread_id ?? cron_id).values()];
    const fireLine = async (line: readonly CronRow[]) => {
      for (const row of line) await this.#fire(row);
    };
    const fired = await Promise.allSettled(lines.map(fireLine));
    const failed = fired.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Starts the run of a due cron. @throws an error of the storage; after any other error, the time is skipped */
  async #fire(row: CronRow): Promise<void> {
    const { store, requests, log } = this.#options;
    const next_run_date = this.#nextOf(row, new Date(Date.now()));
    if (next_run_date === undefined) return store.skip(row, null);
    const advance: Write = (unit) => store.advance(unit, row, next_run_date);
    try {
      const metadata = parseStored(row.metadata);
      const body = {
        ...parseStored(row.payload),
        assistant_id: row.assistant_id,
        metadata: { ...metadata, cron_id: row.cron_id },
      };
      // Runs of a user's cron belong to the same user.
      const author = row.user_id === null ? NOBODY : { ...NOBODY, threadMetadata: metadata, isStored: true };
      if (row.thread_id === null) {
        const request = { ...body, on_completion: row.on_run_completed };
        await requests.createStateless(RunCreateStateless.parse(request), author, advance);
      } else {
        await requests.createOnThread(row.thread_id, RunCreate.parse(body), author, advance);
      }
    } catch (error) {
      // `gone` means that the cron was changed or deleted after it was found to be due.
      if (isRefused(error, 'gone')) return;
      // After a storage problem, the cron is still due, unless the write was stored after all.
      if (storageProblem(error) !== undefined) throw error;
      const reason = messageOf(error);
      log.write('ERROR', `Cron ${row.cron_id} could not start its run: ${reason}`);
      await store.skip(row, next_run_date);
    }
  }
}

function timingOf(row: CronRow) {
  return { ...row, enabled: row.enabled !== 0 };
}
