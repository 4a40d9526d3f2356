import type { WriterContext } from '../context/writer-context.ts';
import { StoredRuns } from '../ingestion/stored-runs.ts';
import { NOT_WRITABLE, type Refusal } from '../runs/refusal.ts';
import type { WritableProjects } from '../sessions/writable-projects.ts';
import type { EarlySpans, SpanTrace } from './early-spans.ts';
import { idOf, uuidOf } from './plan-places.ts';
import type { SpanRun } from './span-to-run.ts';

/**
 * Returns a refusal for a span if it belongs to a project, or to a project's run, to which its sender may not write.
 */
export function refusalOfForeign(
  { db }: WriterContext,
  of: SpanTrace,
  sent: { readonly span: SpanRun; readonly spans: EarlySpans; readonly writable: WritableProjects },
): Refusal | undefined {
  const { span, spans, writable } = sent;
  if (writable.areAll) return undefined;
  const stored = new StoredRuns(db, of.workspace);
  const isRoot = span.parent === undefined && span.parentRunId === undefined;
  const root = span.dottedOrder?.split('.', 1)[0]?.slice(-36);
  const runs = [span.runId ?? idOf(of.trace, span.span), ...(isRoot ? [uuidOf(of.trace)] : [])];
  const traces = isRoot ? [span.traceId ?? root ?? uuidOf(of.trace)] : [];
  const waiting = spans.isSent(span.span) ? undefined : spans.content(span.span);
  const names = [
    projectOf(span, writable),
    ...(waiting === undefined ? [] : [projectOf(waiting, writable)]),
    ...[...runs.map((id) => stored.find(id)), ...traces.map((id) => stored.findTrace(id))].flatMap((row) =>
      row === undefined ? [] : [writable.nameOf(row.session)],
    ),
  ];
  const other = names.find((name) => !writable.hasName(name));
  if (other === undefined) return undefined;
  return {
    part: `post.${runs[0] ?? ''}`,
    message: writable.refusalOf(other),
    type: NOT_WRITABLE,
    duplicate: false,
  };
}

/** The name of the project that a span names, or else of the usual one. */
export function projectOf({ fields }: SpanRun, { usual }: WritableProjects): string {
  return typeof fields.session_name === 'string' ? fields.session_name : usual;
}
