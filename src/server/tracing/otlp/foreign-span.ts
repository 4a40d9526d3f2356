import type { WriterContext } from '../context/writer-context.ts';
import { StoredRuns } from '../ingestion/stored-runs.ts';
import { traceIdIn } from '../runs/dotted-order.ts';
import { NOT_WRITABLE, type Refusal } from '../runs/refusal.ts';
import type { WritableProjects } from '../sessions/writable-projects.ts';
import type { EarlySpans, SpanTrace } from './early-spans.ts';
import { idOf, uuidOf } from './plan-places.ts';
import type { SpanRun } from './span-to-run.ts';

/**
 * Checks whether a span is foreign, which means that it would change a project to which its sender may not
 * write: the span's own, that of an earlier copy that is still waiting, or those of the runs and the trace
 * that it would replace.
 * @returns the refusal of a foreign span; undefined for others.
 */
export function refusalOfForeign(
  { db }: WriterContext,
  spanTrace: SpanTrace,
  sent: { readonly span: SpanRun; readonly spans: EarlySpans; readonly writable: WritableProjects },
): Refusal | undefined {
  const { span, spans, writable } = sent;
  if (writable.areAll) return undefined;
  const stored = new StoredRuns(db, spanTrace.workspace);
  const isRoot = span.parent === undefined && span.parentRunId === undefined;
  const root = span.dottedOrder && traceIdIn(span.dottedOrder);
  // A root also takes over the stand-in, whose run has the ID of the trace.
  const runs = [span.runId ?? idOf(spanTrace.trace, span.span), ...(isRoot ? [uuidOf(spanTrace.trace)] : [])];
  const traces = isRoot ? [span.traceId ?? root ?? uuidOf(spanTrace.trace)] : [];
  const waiting = spans.isSent(span.span) ? undefined : spans.content(span.span);
  const changed = [
    projectOf(span, writable),
    ...(waiting === undefined ? [] : [projectOf(waiting, writable)]),
    ...[...runs.map((id) => stored.find(id)), ...traces.map((id) => stored.findTrace(id))].flatMap((row) =>
      row === undefined ? [] : [writable.readName(row.session)],
    ),
  ];
  const other = changed.find((name) => name !== undefined && !writable.hasName(name));
  if (other === undefined) return undefined;
  return {
    part: `post.${runs[0] ?? ''}`,
    message: writable.refusalOf(other),
    type: NOT_WRITABLE,
    duplicate: false,
  };
}

/** The name of a span's project; undefined for an ID that is not a project's, because then the run will be refused. */
export function projectOf({ fields }: SpanRun, writable: WritableProjects): string | undefined {
  const { session_id: id, session_name: name } = fields;
  if (typeof id === 'string') return writable.findNameById(id);
  return typeof name === 'string' ? name : writable.defaultName;
}
