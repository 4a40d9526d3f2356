import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { BackgroundWork } from '../tracing/database/background-work.ts';
import { DAY_MICROS, nowMicros } from '../tracing/database/time.ts';
import { forgetPurged } from '../tracing/runs/purged-traces.ts';
import { DEFAULT_DAYS } from '../tracing/sessions/retention.ts';
import { expireWaiting } from './expire-waiting.ts';
import { addJob } from './purge-jobs.ts';

const CHECK_INTERVAL_MS = 60_000;
/**
 * Traces that expire within an hour are deleted together, because PostgreSQL scans all traces to free the space of a
 * few.
 */
const ROUND_MICROS = 3_600_000_000;
/** The workspaces whose expired traces a purge is deleting, or will delete when its window opens. */
const EXPIRING = `SELECT workspace FROM purge_jobs WHERE kind = 'expiry' AND step NOT IN ('verified', 'failed')`;

/** Checks once a minute for expired data, and purges expired traces once an hour, with a normal job. */
export class Expiry implements BackgroundWork {
  readonly #context: WriterContext;
  readonly #timer: NodeJS.Timeout;
  readonly #now: () => number;
  #due = true;
  #lastRound = Number.NEGATIVE_INFINITY;

  /** @param now returns the time in microseconds. */
  constructor(context: WriterContext, now: () => number = nowMicros) {
    this.#context = context;
    this.#now = now;
    this.#timer = setInterval(() => {
      this.#due = true;
      context.nudge();
    }, CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  advance(): boolean {
    if (!this.#due) return false;
    this.#due = false;
    const { db } = this.#context;
    const now = this.#now();
    let hasExpired = false;
    db.transaction(() => {
      if (now >= this.#nextRound(now)) hasExpired = this.#expireTraces(now);
      db.statement('DELETE FROM feedback_tokens WHERE expires_at <= ?').run(now - DAY_MICROS);
      expireWaiting(db, now);
      forgetPurged(db, now);
      // Feedback whose run never arrived is also deleted, after the extended retention.
      db.statement(
        'DELETE FROM feedback WHERE trace_id IS NULL AND run_id IS NOT NULL AND modified_at <= ?',
      ).run(now - DEFAULT_DAYS.longlived * DAY_MICROS);
    });
    if (hasExpired) this.#lastRound = now;
    this.#sweepBlobs();
    // The purger runs before this work, so it needs another turn for the new jobs.
    return hasExpired;
  }

  /**
   * When the next trace that is not being deleted yet expires, in microseconds; 0 while a check is due. Other
   * deletions here can wait for a day.
   */
  dueAt(): number {
    if (this.#due) return 0;
    const row = this.#context.db
      .statement(`SELECT min(expires_at) AS at FROM traces WHERE workspace NOT IN (${EXPIRING})`)
      .get();
    const now = this.#now();
    const expires = Math.max(Number(row?.at ?? Number.POSITIVE_INFINITY), this.#nextRound(now));
    return Math.min(expires, now + DAY_MICROS);
  }

  /** The time of the next round. If the clock was set back, the time of the last one is meaningless. */
  #nextRound(now: number): number {
    return now < this.#lastRound ? now : this.#lastRound + ROUND_MICROS;
  }

  /** Adds a job for each workspace with expired traces, unless it has one. @returns whether there are any. */
  #expireTraces(now: number): boolean {
    const { db } = this.#context;
    const expired = db.statement('SELECT DISTINCT workspace FROM traces WHERE expires_at <= ?').all(now);
    const unfinished = db.statement(`SELECT 1 WHERE ? IN (${EXPIRING})`);
    for (const workspace of expired.map((row) => Number(row.workspace)))
      if (unfinished.get(workspace) === undefined)
        addJob(this.#context, { workspace, kind: 'expiry', filter: { expired_by: now }, by: null });
    return expired.length > 0;
  }

  /** Removes blobs without a trace, left by a crash between moving a file and committing its row. */
  #sweepBlobs(): void {
    const { db, blobs } = this.#context;
    const known = db.statement('SELECT 1 FROM traces WHERE id = ? LIMIT 1');
    blobs.sweep((traceId) => known.get(traceId) !== undefined);
  }
}
