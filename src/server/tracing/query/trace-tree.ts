import type { TraceNode } from '../../../contract/tracing/runs.ts';
import { notFound } from '../../http/errors.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime, formatTimeOrNull } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { readFeedbackStats } from '../feedback/feedback-stats.ts';
import { findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** In larger traces, only the feedback on the root is read, to keep the tree of thousands of runs fast. */
const MAX_RUNS_WITH_FEEDBACK = 1000;

/**
 * Reads a trace as a tree, without payloads. Runs whose parent never arrived are directly below the root. If the root
 * is missing, the earliest run takes its place.
 * @throws HttpError 404
 */
export function traceTree(
  { db }: ReaderContext,
  request: { workspaceId: string; traceId: string },
): TraceNode {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const rows = rowsOf(db, workspace, request.traceId);
  const first = rows.find((row) => row.parent_id === null) ?? rows[0];
  if (first === undefined) throw notFound('Trace', request.traceId);
  const feedback = readFeedbackStats(
    db,
    workspace,
    rows.length <= MAX_RUNS_WITH_FEEDBACK ? rows.map((row) => row.id) : [request.traceId],
  );
  const node = (row: typeof first) => toNode(row, request.traceId, feedback.get(row.id) ?? null);
  const root = node(first);
  const nodes = new Map(rows.map((row) => [row.id, row === first ? root : node(row)]));
  // The deepest runs come first, so that a node's sums are complete before they are added to those of its parent.
  for (const row of rows.reverse()) {
    const child = nodes.get(row.id);
    if (child !== undefined && child !== root) addTo(nodes.get(row.parent_id ?? '') ?? root, child);
  }
  return root;
}

/** Selects the runs of a trace in dotted order. */
function rowsOf(db: TracesDatabase, workspace: number, traceId: string) {
  const rows = db.all(
    db.build
      .selectFrom('runs')
      .innerJoin('traces', 'traces.key', 'runs.trace')
      .innerJoin('sessions', 'sessions.key', 'runs.session')
      .select([
        'runs.id',
        'runs.name',
        'runs.run_type',
        'runs.status',
        'runs.start_time',
        'runs.end_time',
        'runs.parent_id',
        'runs.dotted_order',
        'runs.total_tokens',
        'runs.total_cost',
        'runs.tags',
        'sessions.id as session_id',
      ])
      .where('traces.id', '=', traceId)
      .where('traces.workspace', '=', workspace),
  );
  return rows.sort((a, b) =>
    a.dotted_order < b.dotted_order ? -1 : a.dotted_order > b.dotted_order ? 1 : 0,
  );
}

function toNode(
  row: ReturnType<typeof rowsOf>[number],
  traceId: string,
  feedback: TraceNode['feedback_stats'],
): TraceNode {
  return {
    id: row.id,
    trace_id: traceId,
    session_id: row.session_id,
    name: row.name,
    run_type: row.run_type,
    status: row.status,
    start_time: formatTime(row.start_time),
    end_time: formatTimeOrNull(row.end_time),
    parent_run_id: row.parent_id,
    dotted_order: row.dotted_order,
    total_tokens: row.total_tokens ?? 0,
    total_cost: row.total_cost,
    ...(row.tags === null ? {} : { tags: JSON.parse(row.tags) }),
    feedback_stats: feedback,
    child_runs: [],
  };
}

/** Puts a node before the other children of its parent, and adds its sums to the parent's. */
function addTo(parent: TraceNode, node: TraceNode): void {
  parent.child_runs.unshift(node);
  if (node.total_cost !== null) parent.total_cost = Number(parent.total_cost ?? 0) + Number(node.total_cost);
  parent.total_tokens = (parent.total_tokens ?? 0) + (node.total_tokens ?? 0);
}
