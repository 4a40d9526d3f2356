import { isObject } from '../../process/objects.ts';
import type { PurgeFilter } from '../tracing/database/purge-schema.ts';
import { parseTime } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { unpackPatch } from '../tracing/ingestion/early-patches.ts';
import { readSpan } from '../tracing/otlp/early-spans.ts';
import { uuidOf } from '../tracing/otlp/plan-places.ts';
import { startOf } from '../tracing/runs/dotted-order.ts';
import { labelType, labelValue } from '../tracing/runs/labels.ts';
import { DEFAULT_PROJECT } from '../tracing/sessions/find-session.ts';
import { findUnstored } from './find-unstored.ts';

/** An update, a span or a log record that waits for its run or trace, so that no other table contains it. */
interface WaitingPiece {
  readonly traceId: string;
  /** When its run began, if known, otherwise when it was received, in microseconds. */
  readonly began: number;
  /** When the piece was received, in microseconds. */
  readonly receivedAt: number;
  /** The name or the ID of its project; `undefined` for log records, and for updates that name none. */
  readonly project: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The stored size. */
  readonly sizeBytes: number;
}

/** All waiting data of a workspace. There is not much, because most of it waits for two minutes at most. */
function* waitingPieces(db: TracesDatabase, workspace: number): Iterable<WaitingPiece> {
  const spans = db.statement(
    'SELECT trace, data, received_at FROM early_spans WHERE workspace = ? AND run IS NULL AND data IS NOT NULL',
  );
  for (const { trace, data, received_at } of spans.all(workspace)) {
    const span = readSpan(data);
    yield {
      // Spans whose complete place is known do not wait, so this is the trace that the span will be in.
      traceId: uuidOf(String(trace)),
      began: span.start,
      receivedAt: Number(received_at),
      project: projectOf(span.fields) ?? DEFAULT_PROJECT,
      metadata: metadataOf(span.fields.extra),
      sizeBytes: sizeOf(data),
    };
  }
  const logs = db.statement('SELECT trace, size_bytes, received_at FROM early_logs WHERE workspace = ?');
  for (const { trace, size_bytes, received_at } of logs.all(workspace)) {
    yield {
      traceId: uuidOf(String(trace)),
      began: Number(received_at),
      receivedAt: Number(received_at),
      project: undefined,
      metadata: {},
      sizeBytes: Number(size_bytes),
    };
  }
  const patches = db.statement(
    'SELECT run_id, trace_id, parts, received_at FROM early_patches WHERE workspace = ?',
  );
  for (const { run_id, trace_id, parts, received_at } of patches.all(workspace)) {
    const { run, extra } = unpackPatch(parts);
    const began = timeOf(run.start_time) ?? startOf(text(run.dotted_order) ?? '');
    yield {
      // The run of an update that names no trace may be a root.
      traceId: String(trace_id ?? run_id),
      began: began === undefined || Number.isNaN(began) ? Number(received_at) : began,
      receivedAt: Number(received_at),
      project: projectOf(run),
      metadata: metadataOf(extra ?? run.extra),
      sizeBytes: sizeOf(parts),
    };
  }
}

/** The stored size of content, in bytes. */
function sizeOf(content: unknown): number {
  return content instanceof Uint8Array ? content.length : 0;
}

/** The waiting data that matches a filter. */
interface WaitingMatch {
  readonly pieces: readonly WaitingPiece[];
  /** Traces, stored or not, that have the metadata in waiting data. */
  readonly waiting: ReadonlySet<string>;
  /** Traces that match the filter and of which nothing is stored. */
  readonly unstored: ReadonlySet<string>;
}

/**
 * Finds the waiting data that matches a filter.
 * @param receivedBy leaves out data that was received after this time, in microseconds.
 */
export function waitingMatch(
  db: TracesDatabase,
  workspace: number,
  filter: PurgeFilter,
  receivedBy = Number.POSITIVE_INFINITY,
): WaitingMatch {
  // The waiting data of an expiry, a hidden project or a deleted workspace is found in other ways.
  if (filter.expired_by !== undefined || filter.session !== undefined || filter.workspace_id !== undefined)
    return { pieces: [], waiting: new Set(), unstored: new Set() };
  const pieces = [...waitingPieces(db, workspace)].filter(({ receivedAt }) => receivedAt <= receivedBy);
  const waiting = filter.metadata === undefined ? undefined : withMetadata(pieces, filter.metadata);
  const project = projectNamed(db, workspace, filter.session_id);
  const matching = [...Map.groupBy(pieces, (piece) => piece.traceId)].filter(
    ([traceId, ofTrace]) =>
      (waiting?.has(traceId) ?? true) &&
      isWithin(ofTrace, filter) &&
      isSelected(traceId, ofTrace, filter, project),
  );
  const unstored = findUnstored(
    db,
    workspace,
    matching.map(([traceId]) => traceId),
  );
  return { pieces, waiting: waiting ?? new Set(), unstored: new Set(unstored) };
}

/** The traces of which nothing is stored, but with waiting data for a project. */
export function waitingInProject(db: TracesDatabase, workspace: number, project: Project): Set<string> {
  const inProject = [...waitingPieces(db, workspace)].filter((piece) => isIn(piece, project));
  return new Set(findUnstored(db, workspace, idsOf(inProject)));
}

interface Project {
  readonly id: string;
  readonly name: string;
}

function projectNamed(db: TracesDatabase, workspace: number, id: string | undefined): Project | undefined {
  const row =
    id === undefined
      ? undefined
      : db.statement('SELECT id, name FROM sessions WHERE workspace = ? AND id = ?').get(workspace, id);
  return row === undefined ? undefined : { id: String(row.id), name: String(row.name) };
}

/** Whether a trace began in the period of a filter. */
function isWithin(ofTrace: readonly WaitingPiece[], { before, start_time }: PurgeFilter): boolean {
  const began = Math.min(...ofTrace.map((piece) => piece.began));
  const [until, since] = [timeOf(before), timeOf(start_time)];
  return (until === undefined || began < until) && (since === undefined || began >= since);
}

/** Whether a filter selects a trace by its ID or its project. A trace that is named by its ID may be in any project. */
function isSelected(
  traceId: string,
  ofTrace: readonly WaitingPiece[],
  { trace_ids, session_id }: PurgeFilter,
  project: Project | undefined,
): boolean {
  if (trace_ids !== undefined) return trace_ids.includes(traceId);
  return session_id === undefined || (project !== undefined && ofTrace.some((piece) => isIn(piece, project)));
}

/** The traces that have any of the pairs in waiting data. */
function withMetadata(
  pieces: readonly WaitingPiece[],
  wanted: NonNullable<PurgeFilter['metadata']>,
): Set<string> {
  const pairs = Object.entries(wanted);
  return idsOf(pieces.filter(({ metadata }) => pairs.some(([name, value]) => isSame(metadata[name], value))));
}

function isIn(piece: WaitingPiece, { id, name }: Project): boolean {
  return piece.project === id || piece.project === name;
}

function idsOf(pieces: readonly WaitingPiece[]): Set<string> {
  return new Set(pieces.map(({ traceId }) => traceId));
}

function isSame(value: unknown, wanted: unknown): boolean {
  return (
    value !== undefined && labelValue(value) === labelValue(wanted) && labelType(value) === labelType(wanted)
  );
}

function projectOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  return text(fields.session_id) ?? text(fields.session_name);
}

function metadataOf(extra: unknown): Readonly<Record<string, unknown>> {
  return isObject(extra) && isObject(extra.metadata) ? extra.metadata : {};
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseTime(value) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
