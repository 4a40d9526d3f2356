import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { BackgroundWork } from '../database/background-work.ts';
import { nowMicros } from '../database/time.ts';
import type { SpanTrace } from './early-spans.ts';
import { placeLongWaiting } from './place-spans.ts';
import { STAND_IN_ID } from './plan-places.ts';
import { endStandIn } from './stand-in.ts';

/** The time after which spans without a root get a stand-in. */
const MAX_WAIT_MICROS = 120_000_000;
/** A stand-in root stays pending until no part of its trace has arrived for this long. */
const MAX_PENDING_MICROS = 3_600_000_000;
const CHECK_INTERVAL_MS = 30_000;
/** How many spans are processed together. */
const SPANS_AT_ONCE = 100;
/** The condition for waiting spans. Refused spans are only tried again when the next spans of their trace arrive. */
const WAITS = 'run IS NULL AND refused IS NULL';
/** The condition for stand-in roots that are still pending. */
const STANDS_IN = `span = '${STAND_IN_ID}' AND refused IS NULL`;

/**
 * Places spans that have waited too long for their root, and ends stand-in roots that have been pending for too long.
 */
export class PendingSpans implements BackgroundWork {
  readonly #context: WriterContext;
  readonly #timer: NodeJS.Timeout;
  #due = true;

  constructor(context: WriterContext) {
    this.#context = context;
    this.#timer = setInterval(() => {
      this.#due = true;
      context.nudge();
    }, CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  advance(budgetMs: number): boolean {
    if (!this.#due) return false;
    const until = performance.now() + budgetMs;
    const now = nowMicros();
    const waiting = this.#findLongestWaiting(WAITS, now - MAX_WAIT_MICROS);
    for (const trace of waiting) {
      this.#change(trace, WAITS, () => placeLongWaiting(this.#context, trace).changes);
      if (performance.now() > until) return true;
    }
    const standing = this.#findLongestWaiting(STANDS_IN, now - MAX_PENDING_MICROS);
    for (const trace of standing) {
      this.#change(trace, STANDS_IN, () => endStandIn(this.#context, trace));
      if (performance.now() > until) return true;
    }
    this.#due = waiting.length + standing.length > 0;
    return this.#due;
  }

  /** Finds the traces of spans that match a condition and were received before a time, longest waiting first. */
  #findLongestWaiting(condition: string, before: number): SpanTrace[] {
    return this.#context.db
      .statement(
        `SELECT DISTINCT workspace, workspace_id, trace FROM (
           SELECT early_spans.workspace, workspaces.id AS workspace_id, trace FROM early_spans
           JOIN workspaces ON workspaces.key = early_spans.workspace
           WHERE ${condition} AND received_at < ? ORDER BY received_at LIMIT ${SPANS_AT_ONCE}) AS longest`,
      )
      .all(before)
      .map((row) => ({
        workspace: Number(row.workspace),
        workspaceId: String(row.workspace_id),
        trace: String(row.trace),
      }));
  }

  /** Changes a trace in a transaction, and reports the change. */
  #change({ workspace, trace }: SpanTrace, condition: string, change: () => readonly TraceChange[]): void {
    const { db, notify } = this.#context;
    try {
      notify(workspace, db.transaction(change));
    } catch (error) {
      // The trace is tried again after the others, so that one that can never be placed does not block them.
      db.statement(
        `UPDATE early_spans SET received_at = ? WHERE workspace = ? AND trace = ? AND ${condition}`,
      ).run(nowMicros(), workspace, trace);
      throw error;
    }
  }

  dueAt(): number {
    return Math.min(this.#dueFor(WAITS, MAX_WAIT_MICROS), this.#dueFor(STANDS_IN, MAX_PENDING_MICROS));
  }

  #dueFor(condition: string, maxMicros: number): number {
    const row = this.#context.db
      .statement(`SELECT min(received_at) AS at FROM early_spans WHERE ${condition}`)
      .get();
    return typeof row?.at === 'number' ? row.at + maxMicros : Number.POSITIVE_INFINITY;
  }
}
