import type { WriterContext } from '../context/writer-context.ts';
import { IS_MODEL_CALL } from '../runs/model-calls.ts';
import {
  APART_MICROS,
  CALL_COLUMNS,
  isCountedAmong,
  type ReportedCall,
  reportedCall,
  storedCalls,
} from './reported-calls.ts';
import type { SpanRun } from './span-to-run.ts';

/** A call with its run and the run's parent. */
export interface PlacedCall {
  readonly span: SpanRun;
  readonly run: string;
  readonly parent: string | undefined;
}

/**
 * How many siblings are compared with the calls of a request, which would otherwise take long in a loop of
 * thousands of calls. Calls that only match further siblings count twice.
 */
const MAX_SIBLINGS = 200;
/** Selects stored calls with a parent, at about the time of the calls in this request. */
const BELOW = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE parent_id = ? AND workspace = ? AND ${IS_MODEL_CALL} AND start_time <= ? AND end_time >= ?
  LIMIT ${MAX_SIBLINGS}`;
/** Selects stored calls that get another parent. */
const MOVED = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE id IN (SELECT value FROM json_each(CAST(? AS TEXT))) AND workspace = ? AND ${IS_MODEL_CALL}
  LIMIT ${MAX_SIBLINGS}`;

/**
 * Finds model calls that two instrumentations report as siblings, such as OpenLLMetry's and Anthropic's own, or those
 * for LlamaIndex and OpenAI when responses are streamed.
 */
export class SameCalls {
  readonly #context: WriterContext;
  readonly #workspace: number;
  /** When the calls of this request were made, by parent. */
  readonly #times = new Map<string, { start: number; end: number }>();
  readonly #moved: ReadonlyMap<string, readonly string[]>;
  readonly #byParent = new Map<string, ReportedCall[]>();

  /** @param calls the calls in this request. @param moved stored runs that get another parent, by their new parent. */
  constructor(
    context: WriterContext,
    workspace: number,
    calls: Iterable<Omit<PlacedCall, 'run'>>,
    moved: ReadonlyMap<string, readonly string[]>,
  ) {
    this.#context = context;
    this.#workspace = workspace;
    this.#moved = moved;
    for (const { span, parent } of calls) {
      if (parent === undefined || span.end === undefined) continue;
      const { start, end } = this.#times.get(parent) ?? { start: span.start, end: span.end };
      this.#times.set(parent, { start: Math.min(start, span.start), end: Math.max(end, span.end) });
    }
  }

  /** Whether another instrumentation has reported the same call with the same parent, and it counts. */
  has({ span, run, parent }: PlacedCall): boolean {
    const call = reportedCall(span, run);
    if (call === undefined || parent === undefined) return false;
    const others = this.#below(parent).filter((other) => other.run !== run);
    return isCountedAmong(others, call);
  }

  /** Records a call in this request, and whether it counts. */
  add({ span, run, parent }: PlacedCall, isCounted: boolean): void {
    const call = reportedCall(span, run, isCounted);
    if (call !== undefined && parent !== undefined) this.#below(parent).push(call);
  }

  #below(parent: string): ReportedCall[] {
    const known = this.#byParent.get(parent) ?? this.#readBelow(parent);
    this.#byParent.set(parent, known);
    return known;
  }

  #readBelow(parent: string): ReportedCall[] {
    const { db } = this.#context;
    const within = this.#times.get(parent);
    if (within === undefined) return [];
    const [first, last] = [within.start - APART_MICROS, within.end + APART_MICROS];
    const rows = db.statement(BELOW).all(parent, this.#workspace, last, first);
    const moved = (this.#moved.get(parent) ?? []).filter((run) => rows.every(({ id }) => id !== run));
    if (moved.length > 0) rows.push(...db.statement(MOVED).all(JSON.stringify(moved), this.#workspace));
    return storedCalls(this.#context, rows);
  }
}
