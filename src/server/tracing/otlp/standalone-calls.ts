import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { IS_MODEL_CALL } from '../runs/model-calls.ts';
import { DEFAULT_PROJECT } from '../sessions/find-session.ts';
import type { SpanTrace } from './early-spans.ts';
import {
  CALL_COLUMNS,
  type CallTokens,
  isCountedAmong,
  isSame,
  type ReportedCall,
  reportedCall,
  storedCalls,
} from './reported-calls.ts';
import type { PlacedCall } from './same-calls.ts';
import type { SpanRun } from './span-to-run.ts';

const PROJECT_BY_ID = 'SELECT key FROM sessions WHERE workspace = ? AND id = ?';
const PROJECT_BY_NAME = 'SELECT key FROM sessions WHERE workspace = ? AND name = ?';
/** How many calls of a project are compared with a call. A call that only matches further ones counts twice. */
const MAX_COMPARED = 50;
/** Selects calls with the same tokens that began shortly before a call, and ended after it. */
const AROUND = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE session = ? AND start_time BETWEEN ? AND ? AND ${IS_MODEL_CALL} AND id <> ?
    AND prompt_tokens = ? AND completion_tokens = ? AND end_time >= ? LIMIT ${MAX_COMPARED}`;
/** Selects calls in a period that do not count. */
const WITHIN = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE session = ? AND start_time BETWEEN ? AND ? AND ${IS_MODEL_CALL} AND id <> ?
    AND total_tokens IS NULL AND end_time <= ? LIMIT ${MAX_COMPARED}`;
/** Selects calls that are roots, have the same tokens, and began and ended during a call. */
const LONE = `SELECT ${CALL_COLUMNS} FROM runs
  WHERE session = ? AND start_time BETWEEN ? AND ? AND parent_id IS NULL AND ${IS_MODEL_CALL} AND id <> ?
    AND prompt_tokens = ? AND completion_tokens = ? AND end_time <= ? LIMIT ${MAX_COMPARED}`;
/** Subtracts the usage of a run from the sums of its trace. */
const SUBTRACT = `UPDATE traces SET
    prompt_tokens = traces.prompt_tokens - coalesce(runs.prompt_tokens, 0),
    completion_tokens = traces.completion_tokens - coalesce(runs.completion_tokens, 0),
    total_tokens = traces.total_tokens - coalesce(runs.total_tokens, 0),
    prompt_cost = traces.prompt_cost - coalesce(runs.prompt_cost, 0),
    completion_cost = traces.completion_cost - coalesce(runs.completion_cost, 0),
    total_cost = traces.total_cost - coalesce(runs.total_cost, 0)
  FROM runs WHERE runs.trace = traces.key AND runs.id = ? AND runs.workspace = ?
  RETURNING traces.id AS trace, (SELECT id FROM sessions WHERE sessions.key = traces.session) AS session`;
/** Removes the usage of a run. */
const CLEAR = `UPDATE runs SET prompt_tokens = NULL, completion_tokens = NULL, total_tokens = NULL,
  prompt_cost = NULL, completion_cost = NULL, total_cost = NULL, priced = NULL WHERE id = ? AND workspace = ?`;

/** How much later the inner layer of a call may begin. */
const LATER_MICROS = 1_000_000;

/**
 * Finds model calls that two instrumentations report in separate traces, because the enclosing one does not pass on its
 * context: LangChain's callbacks and LangSmith's wrappers do not, so OpenAI's and Anthropic's spans have no parent.
 */
export class StandaloneCalls {
  readonly #context: WriterContext;
  readonly #spanTrace: SpanTrace;
  /** The changes of other traces. */
  readonly changes: TraceChange[] = [];

  constructor(context: WriterContext, spanTrace: SpanTrace) {
    this.#context = context;
    this.#spanTrace = spanTrace;
  }

  /** Whether a standalone call is already counted as the call in another trace that encloses it. */
  isWithin({ span, run }: PlacedCall): boolean {
    const call = reportedCall(span, run);
    if (call?.tokens === undefined || !isDistinctive(call.tokens)) return false;
    const { input, output } = call.tokens;
    const project = this.#projectOf(span);
    if (project === undefined) return false;
    const { db } = this.#context;
    const { start, end } = call;
    const rowsAround = db
      .statement(AROUND)
      .all(project, start - LATER_MICROS, start, run, input, output, end);
    const enclosing = storedCalls(this.#context, rowsAround);
    if (enclosing.length === 0) return false;
    const first = Math.min(...enclosing.map((outer) => outer.start));
    const last = Math.max(...enclosing.map((outer) => outer.end));
    const rowsWithin = db.statement(WITHIN).all(project, first, last, run, last);
    const enclosed = storedCalls(this.#context, rowsWithin).filter((inner) =>
      enclosing.some((outer) => isDuring(inner, outer)),
    );
    return isCountedAmong([...enclosing, ...enclosed], call);
  }

  /** Makes a call count instead of the standalone one within it, which arrived first. */
  replace({ span, run }: PlacedCall): void {
    const call = reportedCall(span, run);
    if (call?.tokens === undefined || !isDistinctive(call.tokens)) return;
    const { input, output } = call.tokens;
    const project = this.#projectOf(span);
    if (project === undefined) return;
    const { db } = this.#context;
    const latest = Math.min(call.start + LATER_MICROS, call.end);
    const rows = db.statement(LONE).all(project, call.start, latest, run, input, output, call.end);
    const lone = storedCalls(this.#context, rows).find((other) => isSame(call, other));
    if (lone === undefined) return;
    const { workspace } = this.#spanTrace;
    const changed = db.statement(SUBTRACT).get(lone.run, workspace);
    db.statement(CLEAR).run(lone.run, workspace);
    const [id, session_id] = [String(changed?.trace), String(changed?.session)];
    this.changes.push({ resource: 'trace', action: 'updated', id, session_id });
  }

  /** The key of the project; undefined while the project has no traces. */
  #projectOf({ fields }: SpanRun): number | undefined {
    const { session_id: id, session_name: name = DEFAULT_PROJECT } = fields;
    const { db } = this.#context;
    const { workspace } = this.#spanTrace;
    const row =
      typeof id === 'string'
        ? db.statement(PROJECT_BY_ID).get(workspace, id)
        : db.statement(PROJECT_BY_NAME).get(workspace, String(name));
    return row === undefined ? undefined : Number(row.key);
  }
}

function isDuring(call: ReportedCall, outer: ReportedCall): boolean {
  return outer.start <= call.start && call.end <= outer.end;
}

/** Whether a call can be told apart from others by its tokens. */
function isDistinctive({ input }: CallTokens): boolean {
  return input > 0;
}
