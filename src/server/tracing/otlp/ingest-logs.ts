import { parseStored } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { StoredPayloads } from '../database/stored-payloads.ts';
import type { PayloadPlaces } from '../database/traces-schema.ts';
import type { IngestResult } from '../ingestion/ingest-request.ts';
import { type StoredRun, StoredRuns } from '../ingestion/stored-runs.ts';
import { purgedRefusal } from '../runs/purged-traces.ts';
import { NOT_WRITABLE, type Refusal } from '../runs/refusal.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import type { SpanLog } from './decode-logs.ts';
import { keepEarlyLogs, MAX_EVENTS, MAX_EVENTS_BYTES } from './early-logs.ts';
import type { SpanTrace } from './early-spans.ts';
import { ingestRuns } from './ingest-runs.ts';
import { mergeResults } from './merge-results.ts';
import { idOf, uuidOf } from './plan-places.ts';
import { type RunEvent, withEvents } from './run-events.ts';

/**
 * Stores log records with their spans: in the run of a placed span, or else on disk until the span has its place.
 * Sending a record again changes nothing.
 */
export function ingestLogs(
  context: WriterContext,
  request: { workspaceId: string; projects?: readonly string[] | undefined; logs: readonly SpanLog[] },
): IngestResult {
  const { db, caches } = context;
  const { workspaceId, projects } = request;
  const workspace = ensureWorkspaceKey(db, caches, workspaceId);
  const writable = new WritableProjects(db, workspace, projects);
  const stored = new StoredRuns(db, workspace);
  const results: IngestResult[] = [];
  for (const [trace, ofTrace] of Map.groupBy(request.logs, (log) => log.trace)) {
    const spanTrace = { workspace, workspaceId, trace };
    if (stored.isPurged(uuidOf(trace))) {
      const refused = ofTrace.map(({ span }) =>
        refusalOf(spanTrace, span, purgedRefusal(uuidOf(trace), idOf(trace, span))),
      );
      results.push({ refused, changes: [] });
      continue;
    }
    const bySpan = Map.groupBy(ofTrace, ({ span }) => span);
    const runs = findPlacedRuns(context, spanTrace, [...bySpan.keys()]);
    for (const [span, logs] of bySpan) {
      const events = logs.map(({ event }) => event);
      const run = stored.find(runs.get(span) ?? '');
      if (run === undefined) {
        results.push(keepUntilPlaced(context, spanTrace, { span, events, projects }));
      } else if (writable.hasRow(run.session)) {
        results.push(joinRun(context, spanTrace, { span, run, events }));
      } else {
        const message = writable.refusalOf(writable.readName(run.session));
        results.push(refuseAll(spanTrace, span, logs.length, { message, type: NOT_WRITABLE }));
      }
    }
  }
  return mergeResults(results);
}

/** Why log records were not stored. */
interface Reason {
  readonly message: string;
  readonly type: string;
}

function refusalOf({ trace }: SpanTrace, span: string, { message, type }: Reason): Refusal {
  return { part: `post.${idOf(trace, span)}`, message, type, duplicate: false };
}

function refuseAll(spanTrace: SpanTrace, span: string, count: number, reason: Reason): IngestResult {
  return { refused: Array.from({ length: count }, () => refusalOf(spanTrace, span, reason)), changes: [] };
}

/** Keeps as many log records on disk as there is room for. */
function keepUntilPlaced(
  { db }: WriterContext,
  spanTrace: SpanTrace,
  {
    span,
    events,
    projects,
  }: { span: string; events: readonly RunEvent[]; projects: readonly string[] | undefined },
): IngestResult {
  const kept = events.map((event) => ({ event, ...(projects === undefined ? {} : { projects }) }));
  return refuseAll(spanTrace, span, keepEarlyLogs(db, spanTrace, span, kept), tooMany(span));
}

function tooMany(span: string): Reason {
  const message = `span ${span} may have at most ${MAX_EVENTS} log records and ${MAX_EVENTS_BYTES / 1024 / 1024} MiB of them; another one was not stored`;
  return { message, type: 'limit' };
}

/** Finds the runs of spans that have a place. */
function findPlacedRuns(
  { db }: WriterContext,
  { workspace, trace }: SpanTrace,
  spans: readonly string[],
): Map<string, string> {
  const rows = db
    .statement(
      `SELECT span, run FROM early_spans WHERE workspace = ? AND trace = ? AND run IS NOT NULL
         AND span IN (SELECT value FROM json_each(CAST(? AS TEXT)))`,
    )
    .all(workspace, trace, JSON.stringify(spans));
  return new Map(rows.map(({ span, run }) => [String(span), String(run)]));
}

/** Adds events to the run of a span, unless the run would then have too many. */
function joinRun(
  context: WriterContext,
  spanTrace: SpanTrace,
  { span, run, events }: { span: string; run: StoredRun; events: readonly RunEvent[] },
): IngestResult {
  const payloads = new StoredPayloads(context.db, context.blobs);
  const places = parseStored(run.payloads);
  const read = (place: PayloadPlaces['extra']) => place && payloads.readJson(place);
  const joined = withEvents({ events: read(places.events), extra: read(places.extra) }, events);
  if (joined === undefined) return { refused: [], changes: [] };
  const isTooMuch =
    (Array.isArray(joined.events) && joined.events.length > MAX_EVENTS) ||
    Buffer.byteLength(JSON.stringify(joined.events)) > MAX_EVENTS_BYTES;
  if (isTooMuch) {
    const refusal = { part: `patch.${run.id}`, ...tooMany(span), duplicate: false };
    return { refused: events.map(() => refusal), changes: [] };
  }
  const fields = { ...joined, id: run.id, trace_id: run.trace_id, dotted_order: run.dotted_order };
  // The usage of the run is not counted again, because the span has already reported it.
  return ingestRuns(
    context,
    spanTrace.workspaceId,
    [[`patch.${run.id}`, fields]],
    new Map([[run.id, false]]),
  );
}
