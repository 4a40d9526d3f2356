import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime } from '../database/time.ts';
import { formatSegment, traceIdIn } from '../runs/dotted-order.ts';
import { IS_DELETED, resolveSession } from '../sessions/find-session.ts';
import type { EarlySpans, SpanTrace } from './early-spans.ts';
import { type Place, STAND_IN_ID, uuidOf } from './plan-places.ts';
import type { SpanRun } from './span-to-run.ts';

/** The names of a stand-in for a root that has not arrived yet, and for one that is no longer expected. */
const PENDING_NAME = 'Root span (not received yet)';
const ENDED_NAME = 'Root span (not received)';

/**
 * The dotted_order of a stand-in root: that of the root if it is stored, or the root's segment in the place of another
 * span, or else a new one with the start of the earliest waiting span.
 */
export function standInOrder(context: WriterContext, spanTrace: SpanTrace, spans: EarlySpans): string {
  const root = uuidOf(spanTrace.trace);
  const known = context.db
    .statement('SELECT dotted_order FROM runs WHERE id = ? AND workspace = ?')
    .get(root, spanTrace.workspace);
  if (known !== undefined) return String(known.dotted_order);
  for (const { place } of spans.known.values())
    if (place !== undefined && traceIdIn(place.order) === root) return place.order.split('.', 1)[0] ?? '';
  return formatSegment(earliest(spans)?.start ?? 0, root);
}

/**
 * The fields of a stand-in root's run, which is pending. @returns undefined when a run with the root's ID is already
 * stored.
 */
export function standInFields(
  { db }: WriterContext,
  { workspace, trace }: SpanTrace,
  spans: EarlySpans,
): Record<string, unknown> | undefined {
  const stored = db
    .statement('SELECT 1 FROM runs WHERE id = ? AND workspace = ?')
    .get(uuidOf(trace), workspace);
  if (stored !== undefined) return undefined;
  const first = earliest(spans);
  const { session_id, session_name } = first?.fields ?? {};
  return {
    name: PENDING_NAME,
    run_type: 'chain',
    start_time: formatTime(first?.start ?? 0),
    ...(session_id === undefined ? {} : { session_id }),
    ...(session_name === undefined ? {} : { session_name }),
    extra: { metadata: { otel_trace_id: trace } },
  };
}

/** Gives the place and the run of the stand-in to the true root, whose content then updates that run. */
export function takeOver(
  { db, caches }: WriterContext,
  { workspace }: SpanTrace,
  { root, place, spans }: { root: SpanRun; place: Place; spans: EarlySpans },
): void {
  const { session_id, session_name } = root.fields;
  const session = resolveSession(db, caches, workspace, {
    id: typeof session_id === 'string' ? session_id : undefined,
    name: typeof session_name === 'string' ? session_name : undefined,
  });
  const row = db
    .statement(
      `UPDATE runs SET dotted_order = ?, start_time = ?, end_time = NULL, status = 'pending', session = ? WHERE id = ? AND workspace = ? RETURNING trace`,
    )
    .get(place.order, root.start, session.key, place.run, workspace);
  // The trace belongs to the project of its root.
  if (row !== undefined)
    db.statement(
      `UPDATE traces SET session = ? WHERE key = ? AND session NOT IN (SELECT key FROM sessions WHERE ${IS_DELETED})`,
    ).run(session.key, Number(row.trace));
  spans.remove(STAND_IN_ID);
}

/**
 * Ends a stand-in root, so that a trace whose root is never sent, for example because another service began it, is
 * not pending forever. The true root still replaces it when it arrives.
 */
export function endStandIn({ db }: WriterContext, { workspace, trace }: SpanTrace): TraceChange[] {
  const id = uuidOf(trace);
  // `PendingSpans` looks only for stand-ins without a refusal, so it does not find this one again.
  db.statement(`UPDATE early_spans SET refused = ? WHERE workspace = ? AND trace = ? AND span = ?`).run(
    ENDED_NAME,
    workspace,
    trace,
    STAND_IN_ID,
  );
  const row = db
    .statement(
      `UPDATE runs SET name = ?, end_time = (SELECT max(coalesce(below.end_time, below.start_time)) FROM runs AS below
           WHERE below.trace = runs.trace AND below.parent_id IS NOT NULL),
         status = CASE WHEN EXISTS (SELECT 1 FROM runs AS below WHERE below.trace = runs.trace
           AND below.parent_id = runs.id AND below.status = 'error') THEN 'error' ELSE 'success' END
       WHERE id = ? AND workspace = ? AND name = ? AND status = 'pending' RETURNING session`,
    )
    .get(ENDED_NAME, id, workspace, PENDING_NAME);
  if (row === undefined) return [];
  const session = db.statement('SELECT id FROM sessions WHERE key = ?').get(Number(row.session));
  return [{ resource: 'trace', action: 'updated', id, session_id: String(session?.id) }];
}

/** The content of the waiting span that began first. */
function earliest(spans: EarlySpans): SpanRun | undefined {
  return spans.waiting
    .flatMap((spanId) => spans.content(spanId) ?? [])
    .reduce<SpanRun | undefined>((a, b) => (a === undefined || b.start < a.start ? b : a), undefined);
}
