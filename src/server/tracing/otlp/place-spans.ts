import { isObject, objectAt } from '../../../process/objects.ts';
import type { WriterContext } from '../context/writer-context.ts';
import type { IngestResult } from '../ingestion/ingest-request.ts';
import { formatSegment } from '../runs/dotted-order.ts';
import { purgedAmong, purgedRefusal } from '../runs/purged-traces.ts';
import { type Refusal, RunRefused } from '../runs/refusal.ts';
import { checkRun, parseMain } from '../runs/run-fields.ts';
import { sessionFor, workspaceKey } from '../sessions/find-session.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import { countUsage } from './count-usage.ts';
import { type EarlyLog, readEarlyLogs, removeEarlyLogs } from './early-logs.ts';
import { EarlySpans, type SpanTrace } from './early-spans.ts';
import { projectOf, refusalOfForeign } from './foreign-span.ts';
import { ingestRuns } from './ingest-runs.ts';
import {
  idOf,
  type Place,
  type Plan,
  parentOf,
  planPlaces,
  STAND_IN_NAME,
  traceOf,
  uuidOf,
} from './plan-places.ts';
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
  const workspace = workspaceKey(db, caches, workspaceId);
  const writable = new WritableProjects(db, workspace, request.projects);
  const refused: Refusal[] = [];
  const traces = new Map<string, EarlySpans>();
  const purged = purgedOf(db, workspace, request.spans);
  for (const span of request.spans) {
    const { trace } = span;
    if (purged.has(uuidOf(trace))) {
      refused.push(refusalFor(purgedRefusal(uuidOf(trace), runIdOf(span)), span));
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

function purgedOf(db: WriterContext['db'], workspace: number, spans: readonly SpanRun[]): Set<string> {
  const ids = [...new Set(spans.map(({ trace }) => uuidOf(trace)))];
  const [purged] = db.allOf([purgedAmong(workspace, ids)]);
  return new Set(purged.map(({ trace_id }) => trace_id));
}

/** Places the spans of a trace that have waited too long, below a stand-in if their root has not arrived. */
export function placeLongWaiting(context: WriterContext, of: SpanTrace): IngestResult {
  const spans = new EarlySpans(context.db, of);
  return placeSpans(context, of, spans, standInOrder(context, of, spans));
}

function placeSpans(
  context: WriterContext,
  of: SpanTrace,
  spans: EarlySpans,
  standIn?: string,
): IngestResult {
  const refused: Refusal[] = [];
  let plan = planPlaces(of.trace, spans.known, standIn);
  if (plan.takesOver !== undefined && !isValid(plan.takesOver))
    plan = planPlaces(of.trace, spans.known, standIn);
  for (const name of spans.waiting) if (!plan.places.has(name)) isValid(name);
  const result = store(context, of, spans, plan);
  spans.keepWaiting();
  spans.noteArrival();
  return mergeResults([{ refused, changes: [] }, result]);

  /**
   * Whether a run is valid. Invalid runs are refused while their sender can be told, because a waiting span has been
   * acknowledged.
   */
  function isValid(name: string): boolean {
    const span = spans.isSent(name) ? spans.content(name) : undefined;
    const refusal = span && refusalOf(context, of, span);
    if (refusal === undefined) return true;
    refused.push(refusal);
    spans.drop(name);
    return false;
  }
}

function refusalOf({ db, caches }: WriterContext, of: SpanTrace, span: SpanRun): Refusal | undefined {
  const id = runIdOf(span);
  const order = span.dottedOrder ?? formatSegment(span.start, id);
  try {
    const run = checkRun(parseMain(bytesOf(runFields(span, { run: id, order })), id, `post.${id}`), 'post');
    if (run.sessionId !== undefined)
      sessionFor(db, caches, of.workspace, { id: run.sessionId, name: run.sessionName });
    return undefined;
  } catch (error) {
    if (!(error instanceof RunRefused)) throw error;
    return refusalFor(error, span);
  }
}

function refusalFor({ message, type, duplicate }: RunRefused, span: SpanRun): Refusal {
  return { part: `post.${runIdOf(span)}`, message, type, duplicate };
}

function runIdOf({ runId, trace, span }: SpanRun): string {
  return runId ?? idOf(trace, span);
}

/** Stores newly placed spans, moves stored ones, and records the places of all of them. */
function store(context: WriterContext, of: SpanTrace, spans: EarlySpans, plan: Plan): IngestResult {
  const { counted, changes } = countUsage(context, of, spans, plan);
  const logs = readEarlyLogs(context.db, of);
  const { runs, names, moved } = sortPlaces(context, of, { spans, plan, counted, logs });
  spans.moveRuns(moved);
  const result =
    runs.length === 0 ? { refused: [], changes: [] } : ingestRuns(context, of.workspaceId, runs, counted);
  const placed = new Map(plan.places);
  const told: Refusal[] = [];
  for (const refusal of result.refused) {
    const name = names.get(refusal.part);
    if (name === undefined || spans.isSent(name)) told.push(refusal);
    if (name === undefined) continue;
    placed.delete(name);
    spans.refuse(name, refusal.message);
  }
  spans.notePlaces(placed);
  for (const name of logs.keys()) if (placed.has(name)) removeEarlyLogs(context.db, of, name);
  return { refused: told, changes: [...result.changes, ...changes] };
}

interface ToSort {
  readonly spans: EarlySpans;
  readonly plan: Plan;
  readonly counted: ReadonlyMap<string, boolean>;
  readonly logs: ReturnType<typeof readEarlyLogs>;
}

/** Divides a plan into runs to store, by the span of each part, and new places of stored runs. */
function sortPlaces(context: WriterContext, of: SpanTrace, { spans, plan, counted, logs }: ToSort) {
  const moved: Place[] = [];
  const names = new Map<string, string>();
  const runs: Run[] = [];
  for (const [name, place] of plan.places) {
    const span = spans.content(name);
    if (spans.known.get(name)?.place !== undefined) moved.push(place);
    else if (span !== undefined) {
      const isUpdate = name === plan.takesOver;
      if (isUpdate) takeOver(context, of, { root: span, place, spans });
      const part = `${isUpdate ? 'patch' : 'post'}.${place.run}`;
      names.set(part, name);
      const said = withLogs(context, of, span, logs.get(name) ?? []);
      runs.push([part, runFields(counted.get(place.run) ? withStated(said) : said, place)]);
    } else if (name === STAND_IN_NAME) {
      const fields = standInFields(context, of, spans);
      if (fields !== undefined) runs.unshift([`post.${place.run}`, runFields({ fields }, place)]);
    }
  }
  return { runs, names, moved };
}

/** The fields of a run, with the name of its part in the request. */
type Run = readonly [part: string, fields: Record<string, unknown>];

function runFields(
  { fields, parentRunId }: { readonly fields: SpanRun['fields']; readonly parentRunId?: string | undefined },
  { run, order }: Place,
): Record<string, unknown> {
  const parent = parentRunId ?? parentOf(order);
  return {
    ...fields,
    id: run,
    trace_id: traceOf(order),
    dotted_order: order,
    ...(parent === undefined ? {} : { parent_run_id: parent }),
  };
}

/** A span with its stated sum, if the sum counts. */
function withStated(span: SpanRun): SpanRun {
  const { extra } = span.fields;
  if (span.stated === undefined || !isObject(extra)) return span;
  const metadata = { ...objectAt(extra, 'metadata'), usage_metadata: span.stated };
  return { ...span, fields: { ...span.fields, extra: { ...extra, metadata } } };
}

/**
 * A span with the log records that arrived before it was placed; without the records if they would make the span
 * invalid.
 */
function withLogs(context: WriterContext, of: SpanTrace, span: SpanRun, logs: readonly EarlyLog[]): SpanRun {
  const own = logs.filter(({ projects }) => {
    const writable = new WritableProjects(context.db, of.workspace, projects);
    return writable.hasName(projectOf(span, writable));
  });
  const joined = withEvents(
    span.fields,
    own.map(({ event }) => event),
  );
  if (joined === undefined) return span;
  const said = { ...span, fields: { ...span.fields, ...joined } };
  return refusalOf(context, of, said) === undefined ? said : span;
}

function bytesOf(fields: Record<string, unknown>): Buffer {
  return Buffer.from(JSON.stringify(fields));
}

function mergeResults(results: readonly IngestResult[]): IngestResult {
  return {
    refused: results.flatMap((result) => result.refused),
    changes: results.flatMap((result) => result.changes),
  };
}
