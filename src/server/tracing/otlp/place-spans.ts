import { isObject, objectAt } from '../../../process/objects.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { IngestResult } from '../ingestion/ingest-request.ts';
import { formatSegment, parentIdIn, traceIdIn } from '../runs/dotted-order.ts';
import { purgedAmong, purgedRefusal } from '../runs/purged-traces.ts';
import { type Refusal, RunRefused } from '../runs/refusal.ts';
import { checkRun, parseMain } from '../runs/run-fields.ts';
import { resolveSession } from '../sessions/find-session.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import { countUsage } from './count-usage.ts';
import { type EarlyLog, readEarlyLogs, removeEarlyLogs } from './early-logs.ts';
import { EarlySpans, type SpanTrace } from './early-spans.ts';
import { projectOf, refusalOfForeign } from './foreign-span.ts';
import { ingestRuns } from './ingest-runs.ts';
import { mergeResults } from './merge-results.ts';
import { idOf, type Place, type Plan, planPlaces, STAND_IN_ID, uuidOf } from './plan-places.ts';
import { withEvents } from './run-events.ts';
import type { SpanRun } from './span-to-run.ts';
import { standInFields, standInOrder, takeOver } from './stand-in.ts';

/**
 * Stores spans. OpenTelemetry sends the end of a trace first, but the places of runs are only known from the root down.
 * Therefore spans wait on disk until their root has arrived, or a stand-in has been created. Refused spans are
 * reported, and not stored.
 */
export function ingestSpans(
  context: WriterContext,
  request: { workspaceId: string; projects?: readonly string[] | undefined; spans: readonly SpanRun[] },
): IngestResult {
  const { db, caches } = context;
  const { workspaceId } = request;
  const workspace = ensureWorkspaceKey(db, caches, workspaceId);
  const writable = new WritableProjects(db, workspace, request.projects);
  const refused: Refusal[] = [];
  const traces = new Map<string, EarlySpans>();
  const purged = findPurged(db, workspace, request.spans);
  for (const span of request.spans) {
    const { trace } = span;
    if (purged.has(uuidOf(trace))) {
      refused.push(toRefusal(purgedRefusal(uuidOf(trace), runIdOf(span)), span));
      continue;
    }
    const spans = traces.get(trace) ?? new EarlySpans(db, { workspace, workspaceId, trace });
    traces.set(trace, spans);
    const foreign = refusalOfForeign(context, { workspace, workspaceId, trace }, { span, spans, writable });
    if (foreign === undefined) spans.add(span);
    else refused.push(foreign);
  }
  return mergeResults([
    { refused, changes: [] },
    ...[...traces].map(([trace, spans]) => placeSpans(context, { workspace, workspaceId, trace }, spans)),
  ]);
}

/** Finds which traces of these spans were purged. @returns their IDs in the form of run IDs. */
function findPurged(db: WriterContext['db'], workspace: number, spans: readonly SpanRun[]): Set<string> {
  const ids = [...new Set(spans.map(({ trace }) => uuidOf(trace)))];
  const [purged] = db.allOf([purgedAmong(workspace, ids)]);
  return new Set(purged.map(({ trace_id }) => trace_id));
}

/** Places the spans of a trace that have waited too long, below a stand-in if their root has not arrived. */
export function placeLongWaiting(context: WriterContext, spanTrace: SpanTrace): IngestResult {
  const spans = new EarlySpans(context.db, spanTrace);
  return placeSpans(context, spanTrace, spans, standInOrder(context, spanTrace, spans));
}

/**
 * Stores the spans of a trace that have a place, and keeps the others.
 * @param standIn the dotted_order of a stand-in root, if spans have waited too long.
 */
function placeSpans(
  context: WriterContext,
  spanTrace: SpanTrace,
  spans: EarlySpans,
  standIn?: string,
): IngestResult {
  const refused: Refusal[] = [];
  let plan = planPlaces(spanTrace.trace, spans.known, standIn);
  // An invalid root is dropped, so the places are planned again without it.
  if (plan.takesOver !== undefined && !keepIfValid(plan.takesOver))
    plan = planPlaces(spanTrace.trace, spans.known, standIn);
  for (const spanId of spans.waiting) if (!plan.places.has(spanId)) keepIfValid(spanId);
  const result = storePlan(context, spanTrace, spans, plan);
  spans.keepWaiting();
  spans.noteArrival();
  return mergeResults([{ refused, changes: [] }, result]);

  /**
   * Refuses a span of this request that would be an invalid run. This must happen now: once a waiting span has been
   * acknowledged, its sender can no longer be told. @returns whether the span is valid.
   */
  function keepIfValid(spanId: string): boolean {
    const span = spans.isSent(spanId) ? spans.content(spanId) : undefined;
    const refusal = span && refusalIfInvalid(context, spanTrace, span);
    if (refusal === undefined) return true;
    refused.push(refusal);
    spans.drop(spanId);
    return false;
  }
}

/** The refusal of a span that would be an invalid run; undefined for a valid one. */
function refusalIfInvalid(
  { db, caches }: WriterContext,
  spanTrace: SpanTrace,
  span: SpanRun,
): Refusal | undefined {
  const id = runIdOf(span);
  const order = span.dottedOrder ?? formatSegment(span.start, id);
  try {
    const run = checkRun(parseMain(bytesOf(runFields(span, { run: id, order })), id, `post.${id}`), 'post');
    if (run.sessionId !== undefined)
      resolveSession(db, caches, spanTrace.workspace, { id: run.sessionId, name: run.sessionName });
    return undefined;
  } catch (error) {
    if (!(error instanceof RunRefused)) throw error;
    return toRefusal(error, span);
  }
}

/** The refusal of a span for a reason. */
function toRefusal({ message, type, duplicate }: RunRefused, span: SpanRun): Refusal {
  return { part: `post.${runIdOf(span)}`, message, type, duplicate };
}

function runIdOf({ runId, trace, span }: SpanRun): string {
  return runId ?? idOf(trace, span);
}

/** Stores newly placed spans, moves stored ones, and records the places of all of them. */
function storePlan(
  context: WriterContext,
  spanTrace: SpanTrace,
  spans: EarlySpans,
  plan: Plan,
): IngestResult {
  const { counted, changes } = countUsage(context, spanTrace, spans, plan);
  const logs = readEarlyLogs(context.db, spanTrace);
  const { runs, spanIds, moved } = sortPlaces(context, spanTrace, { spans, plan, counted, logs });
  spans.moveRuns(moved);
  const result =
    runs.length === 0
      ? { refused: [], changes: [] }
      : ingestRuns(context, spanTrace.workspaceId, runs, counted);
  const placed = new Map(plan.places);
  const reported: Refusal[] = [];
  for (const refusal of result.refused) {
    const spanId = spanIds.get(refusal.part);
    if (spanId === undefined || spans.isSent(spanId)) reported.push(refusal);
    if (spanId === undefined) continue;
    placed.delete(spanId);
    spans.refuse(spanId, refusal.message);
  }
  spans.notePlaces(placed);
  for (const spanId of logs.keys()) if (placed.has(spanId)) removeEarlyLogs(context.db, spanTrace, spanId);
  return { refused: reported, changes: [...result.changes, ...changes] };
}

interface ToSort {
  readonly spans: EarlySpans;
  readonly plan: Plan;
  /** Whether a run's usage counts, by run ID. */
  readonly counted: ReadonlyMap<string, boolean>;
  readonly logs: ReturnType<typeof readEarlyLogs>;
}

/**
 * Divides a plan. A true root takes over the run of its stand-in, which then is updated.
 * @returns the runs to store; the IDs of their spans, by the names of the runs' parts; and the new places of stored runs
 */
function sortPlaces(context: WriterContext, spanTrace: SpanTrace, { spans, plan, counted, logs }: ToSort) {
  const moved: Place[] = [];
  const spanIds = new Map<string, string>();
  const runs: Run[] = [];
  for (const [spanId, place] of plan.places) {
    const span = spans.content(spanId);
    if (spans.known.get(spanId)?.place !== undefined) moved.push(place);
    else if (span !== undefined) {
      const isUpdate = spanId === plan.takesOver;
      if (isUpdate) takeOver(context, spanTrace, { root: span, place, spans });
      const part = `${isUpdate ? 'patch' : 'post'}.${place.run}`;
      spanIds.set(part, spanId);
      const complete = withLogs(context, spanTrace, span, logs.get(spanId) ?? []);
      runs.push([part, runFields(counted.get(place.run) ? withStatedUsage(complete) : complete, place)]);
    } else if (spanId === STAND_IN_ID) {
      const fields = standInFields(context, spanTrace, spans);
      if (fields !== undefined) runs.unshift([`post.${place.run}`, runFields({ fields }, place)]);
    }
  }
  return { runs, spanIds, moved };
}

/** The fields of a run, with the name of its part in the request. */
type Run = readonly [part: string, fields: Record<string, unknown>];

function runFields(
  { fields, parentRunId }: { readonly fields: SpanRun['fields']; readonly parentRunId?: string | undefined },
  { run, order }: Place,
): Record<string, unknown> {
  const parent = parentRunId ?? parentIdIn(order);
  return {
    ...fields,
    id: run,
    trace_id: traceIdIn(order),
    dotted_order: order,
    ...(parent === undefined ? {} : { parent_run_id: parent }),
  };
}

/** A span with the sum that it states as its usage, for a span whose usage counts. */
function withStatedUsage(span: SpanRun): SpanRun {
  const { extra } = span.fields;
  if (span.stated === undefined || !isObject(extra)) return span;
  const metadata = { ...objectAt(extra, 'metadata'), usage_metadata: span.stated };
  return { ...span, fields: { ...span.fields, extra: { ...extra, metadata } } };
}

/**
 * A span with the log records that arrived before it was placed; without the records if they would make the span
 * invalid.
 */
function withLogs(
  context: WriterContext,
  spanTrace: SpanTrace,
  span: SpanRun,
  logs: readonly EarlyLog[],
): SpanRun {
  const own = logs.filter(({ projects }) => {
    const writable = new WritableProjects(context.db, spanTrace.workspace, projects);
    const project = projectOf(span, writable);
    return project !== undefined && writable.hasName(project);
  });
  const joined = withEvents(
    span.fields,
    own.map(({ event }) => event),
  );
  if (joined === undefined) return span;
  const withJoined = { ...span, fields: { ...span.fields, ...joined } };
  return refusalIfInvalid(context, spanTrace, withJoined) === undefined ? withJoined : span;
}

function bytesOf(fields: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify(fields));
}
