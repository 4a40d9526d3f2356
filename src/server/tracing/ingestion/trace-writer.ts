import type { KnownSession } from '../context/ingest-caches.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { RowKeys } from '../database/row-keys.ts';
import { DAY_MICROS, nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { RunRefused } from '../runs/refusal.ts';
import type { Usage } from '../runs/usage.ts';
import { IS_DELETED } from '../sessions/find-session.ts';
import { retentionOf } from '../sessions/retention.ts';
import type { StoredRuns } from './stored-runs.ts';

/** The public service's limit for the runs of a trace (docs/interface/tracing.md#ingestion). */
const MAX_RUNS = 25_000;

const USAGE_FIELDS = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'promptCost',
  'completionCost',
  'totalCost',
] as const;
const ADD_USAGE = `UPDATE traces SET
  prompt_tokens = prompt_tokens + ?, completion_tokens = completion_tokens + ?, total_tokens = total_tokens + ?,
  prompt_cost = prompt_cost + ?, completion_cost = completion_cost + ?, total_cost = total_cost + ?
  WHERE key = ?`;

/** A trace that a request touches. */
export interface OpenTrace {
  readonly key: number;
  readonly id: string;
  readonly ttlDays: number;
  readonly isNew: boolean;
  session: KnownSession;
  runCount: number;
  /** Whether `flush` has to write the trace. */
  changed: boolean;
  /** The usage that this request adds to the trace's sums. */
  added: { -readonly [Field in keyof Usage]: number } | undefined;
}

/** The traces that one request touches: loaded or created on first use, updated, and written at the end. */
export class TraceWriter {
  readonly #db: TracesDatabase;
  readonly #keys: RowKeys;
  readonly #workspace: number;
  readonly #stored: StoredRuns;
  readonly #open = new Map<string, OpenTrace>();

  constructor({ db, keys }: Pick<WriterContext, 'db' | 'keys'>, workspace: number, stored: StoredRuns) {
    this.#db = db;
    this.#keys = keys;
    this.#workspace = workspace;
    this.#stored = stored;
  }

  /** Returns a trace if this request has touched it. */
  find(id: string): OpenTrace | undefined {
    return this.#open.get(id);
  }

  /** Returns a trace, which is created in the given project if it is new. */
  open(id: string, session: KnownSession): OpenTrace {
    const trace = this.#open.get(id) ?? this.#load(id, session) ?? this.#begin(id, session);
    this.#open.set(id, trace);
    return trace;
  }

  /** Counts another run. @throws RunRefused over the limit of a trace. */
  count(trace: OpenTrace, runId: string): void {
    if (trace.runCount >= MAX_RUNS) {
      throw new RunRefused(
        `trace_id:${trace.id} already has ${MAX_RUNS} runs, the maximum for a trace; run_id:${runId} was not stored`,
        { type: 'limit' },
      );
    }
    trace.runCount++;
    trace.changed = true;
  }

  /** Moves a trace to the project of its root, unless the trace is being deleted with another project. */
  moveTo(trace: OpenTrace, session: KnownSession): void {
    if (trace.session.key === session.key) return;
    const deleted = this.#db.statement(`SELECT 1 FROM sessions WHERE key = ? AND ${IS_DELETED}`);
    if (!trace.isNew && deleted.get(trace.session.key) !== undefined) return;
    trace.session = session;
    trace.changed = true;
  }

  /** Adds a run's usage to the trace's sums, minus its previously known usage. */
  addUsage(trace: OpenTrace, usage: Usage, before: Usage | undefined): void {
    trace.added ??= {
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      promptCost: 0,
      completionCost: 0,
      totalCost: 0,
    };
    for (const field of USAGE_FIELDS) trace.added[field] += (usage[field] ?? 0) - (before?.[field] ?? 0);
    trace.changed = true;
  }

  /** Writes the changed traces, and when their projects last received runs. */
  flush(): void {
    const update = this.#db.statement('UPDATE traces SET run_count = ?, session = ? WHERE key = ?');
    const sessions = new Set<number>();
    for (const trace of this.#open.values()) {
      if (!trace.changed) continue;
      update.run(trace.runCount, trace.session.key, trace.key);
      if (trace.added !== undefined) {
        const { added } = trace;
        this.#db.statement(ADD_USAGE).run(...USAGE_FIELDS.map((field) => added[field]), trace.key);
      }
      sessions.add(trace.session.key);
    }
    const touch = this.#db.statement('UPDATE sessions SET last_run_start_time = ? WHERE key = ?');
    for (const session of sessions) touch.run(nowMicros(), session);
  }

  /** Returns the traces that this request has loaded or created, whether or not it changes them. */
  listTouched(): Iterable<OpenTrace> {
    return this.#open.values();
  }

  #load(id: string, session: KnownSession): OpenTrace | undefined {
    const row = this.#stored.findTrace(id);
    if (row === undefined) return undefined;
    return {
      key: row.key,
      id,
      ttlDays: row.ttl_days,
      isNew: false,
      session: row.session === session.key ? session : this.#stored.findSession(row.session),
      runCount: row.run_count,
      changed: false,
      added: undefined,
    };
  }

  #begin(id: string, session: KnownSession): OpenTrace {
    const { tier, days } = retentionOf(this.#stored.retention, session.tier);
    const now = nowMicros();
    const key = this.#keys.next('traces');
    this.#db
      .statement(
        `INSERT INTO traces (key, workspace, id, session, tier, ttl_days, first_received_at, expires_at, run_count)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
      )
      .run(key, this.#workspace, id, session.key, tier, days, now, now + days * DAY_MICROS);
    return {
      key,
      id,
      ttlDays: days,
      isNew: true,
      session,
      runCount: 0,
      changed: true,
      added: undefined,
    };
  }
}
