import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { DEFAULT_PROJECT } from '../sessions/find-session.ts';
import type { SpanTrace } from './early-spans.ts';
import {
  CALL_COLUMNS,
  IS_CALL,
  isCountedAmong,
  isSame,
  type ReportedCall,
  reportedCall,
  storedCalls,
} from './reported-calls.ts';
import type { PlacedCall } from './same-calls.ts';
import type { SpanRun } from './span-to-run.ts';

const SESSION = '(SELECT key FROM sessions WHERE workspace = ? AND (id = ? OR name = ?))';
const NEAR = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE session = ${SESSION} AND start_time BETWEEN ? AND ? AND ${IS_CALL} AND id <> ?
    AND (total_tokens IS NULL OR (prompt_tokens = ? AND completion_tokens = ?)) LIMIT 50`;
const LONE = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE session = ${SESSION} AND start_time BETWEEN ? AND ? AND parent_id IS NULL AND ${IS_CALL} AND id <> ?
    AND prompt_tokens = ? AND completion_tokens = ? AND end_time <= ? LIMIT 50`;
const SUBTRACT = `UPDATE traces SET
    prompt_tokens = traces.prompt_tokens - coalesce(runs.prompt_tokens, 0),
    completion_tokens = traces.completion_tokens - coalesce(runs.completion_tokens, 0),
    total_tokens = traces.total_tokens - coalesce(runs.total_tokens, 0),
    prompt_cost = traces.prompt_cost - coalesce(runs.prompt_cost, 0),
    completion_cost = traces.completion_cost - coalesce(runs.completion_cost, 0),
    total_cost = traces.total_cost - coalesce(runs.total_cost, 0)
  FROM runs WHERE runs.trace = traces.key AND runs.id = ? AND runs.workspace = ?
  RETURNING traces.id AS trace, (SELECT id FROM sessions WHERE sessions.key = traces.session) AS session`;
const CLEAR = `UPDATE runs SET prompt_tokens = NULL, completion_tokens = NULL, total_tokens = NULL,
  prompt_cost = NULL, completion_cost = NULL, total_cost = NULL, priced = NULL WHERE id = ? AND workspace = ?`;

/** How much later the inner layer of a call begins. */
const LATER_MICROS = 2_000_000;

/**
 * Calls of models that are traces of their own, because the instrumentation around them does not say that they are within
 * it: LangChain's callbacks and LangSmith's wrappers do not, so that OpenAI's and Anthropic's spans have no parent.
 */
export class LoneCalls {
  readonly #context: WriterContext;
  readonly #of: SpanTrace;
  /** Other traces that have changed. */
  readonly changes: TraceChange[] = [];

  constructor(context: WriterContext, of: SpanTrace) {
    this.#context = context;
    this.#of = of;
  }

  /** Whether another trace has a call of another instrumentation around a lone one, where it counts. */
  isWithin({ span, run }: PlacedCall): boolean {
    const call = reportedCall(span, run);
    const tokens = tokensOf(call);
    if (call === undefined || tokens === undefined) return false;
    const rows = this.#context.db
      .statement(NEAR)
      .all(...this.#projectOf(span), call.start - LATER_MICROS, call.start + LATER_MICROS, run, ...tokens);
    const near = storedCalls(this.#context, rows);
    const around = near.filter((other) => other.isCounted && isIn(call, other));
    const within = near.filter((other) => !other.isCounted && around.some((outer) => isIn(other, outer)));
    return isCountedAmong([...around, ...within], call);
  }

  /** Lets a call count instead of the lone one within it, which came before it. */
  replace({ span, run }: PlacedCall): void {
    const call = reportedCall(span, run);
    const tokens = tokensOf(call);
    if (call === undefined || tokens === undefined) return;
    const { db } = this.#context;
    const rows = db
      .statement(LONE)
      .all(...this.#projectOf(span), call.start, call.start + LATER_MICROS, run, ...tokens, call.end);
    const lone = storedCalls(this.#context, rows).find((other) => isSame(call, other));
    if (lone === undefined) return;
    const { workspace } = this.#of;
    const changed = db.statement(SUBTRACT).get(lone.run, workspace);
    db.statement(CLEAR).run(lone.run, workspace);
    const [id, session_id] = [String(changed?.trace), String(changed?.session)];
    this.changes.push({ resource: 'trace', action: 'updated', id, session_id });
  }

  #projectOf({ fields }: SpanRun): [workspace: number, id: string, name: string] {
    const { workspace } = this.#of;
    if (typeof fields.session_id === 'string') return [workspace, fields.session_id, ''];
    return [workspace, '', typeof fields.session_name === 'string' ? fields.session_name : DEFAULT_PROJECT];
  }
}

function isIn(call: ReportedCall, outer: ReportedCall): boolean {
  return outer.start <= call.start && call.end <= outer.end;
}

function tokensOf(call: ReportedCall | undefined): readonly [number, number] | undefined {
  const [input, output] = (call?.tokens ?? '').split('/').map(Number);
  return input && output !== undefined ? [input, output] : undefined;
}
