import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseStored } from '../../storage/stored-json.ts';
import type { BackgroundWork } from '../background-work.ts';
import { formatSegment } from '../ingestion/dotted-order.ts';
import { type IngestResult, ingestRequest } from '../ingestion/ingest-request.ts';
import type { Part } from '../ingestion/parts.ts';
import { workspaceKey } from '../sessions/find-session.ts';
import { nowMicros } from '../time.ts';
import type { WriterContext } from '../writer-context.ts';
import type { SpanRun } from './span-to-run.ts';

/** After this time a span without its parent becomes the top of its trace. */
const MAX_WAIT_MICROS = 120_000_000;
/** How many spans are looked at together. */
const SPANS_AT_ONCE = 100;

/**
 * Stores spans. OpenTelemetry sends the end of a trace first, and a run's place is only known from its root down: spans
 * wait, on disk, until those above them are there.
 */
export function ingestSpans(
  context: WriterContext,
  request: { workspaceId: string; spans: readonly SpanRun[] },
): IngestResult {
  const { db, caches } = context;
  const workspace = workspaceKey(db, caches, request.workspaceId);
  const insert = db.statement(
    `INSERT INTO early_spans (workspace, trace, span, parent, run, dotted_order, data, received_at)
     VALUES (?, ?, ?, ?, NULL, NULL, ?, ?)
     ON CONFLICT (workspace, trace, span) DO UPDATE SET parent = excluded.parent, run = NULL, dotted_order = NULL,
       data = excluded.data, received_at = excluded.received_at`,
  );
  const traces = new Set<string>();
  for (const span of request.spans) {
    const placed = db
      .statement(
        'SELECT 1 FROM early_spans WHERE workspace = ? AND trace = ? AND span = ? AND run IS NOT NULL',
      )
      .get(workspace, span.trace, span.span);
    // Already placed.
    if (placed !== undefined) continue;
    insert.run(
      workspace,
      span.trace,
      span.span,
      span.parent ?? null,
      zstdCompressSync(JSON.stringify(span)),
      nowMicros(),
    );
    traces.add(span.trace);
  }
  return mergeResults(
    [...traces].map((trace) => placeTrace(context, workspace, request.workspaceId, trace, false)),
  );
}

/** Places spans that waited too long for their parents. */
export class PendingSpans implements BackgroundWork {
  readonly #context: WriterContext;
  readonly #timer: NodeJS.Timeout;
  #due = true;

  constructor(context: WriterContext) {
    this.#context = context;
    this.#timer = setInterval(() => {
      this.#due = true;
      context.nudge();
    }, 30_000).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  advance(budgetMs: number): boolean {
    if (!this.#due) return false;
    const until = performance.now() + budgetMs;
    const waiting = this.#context.db
      .statement(
        `SELECT DISTINCT workspace, workspace_id, trace FROM (
           SELECT early_spans.workspace, workspaces.id AS workspace_id, trace FROM early_spans
           JOIN workspaces ON workspaces.key = early_spans.workspace
           WHERE run IS NULL AND received_at < ? ORDER BY received_at LIMIT ${SPANS_AT_ONCE}) AS longest`,
      )
      .all(nowMicros() - MAX_WAIT_MICROS);
    for (const row of waiting) {
      this.#place(Number(row.workspace), String(row.workspace_id), String(row.trace));
      if (performance.now() > until) return true;
    }
    this.#due = waiting.length > 0;
    return this.#due;
  }

  #place(workspace: number, workspaceId: string, trace: string): void {
    const { db, notify } = this.#context;
    try {
      const { changes } = db.transaction(() =>
        placeTrace(this.#context, workspace, workspaceId, trace, true),
      );
      notify(workspace, changes);
    } catch (error) {
      // It is tried again behind the others, so that a trace that can never be placed holds up none.
      db.statement(
        'UPDATE early_spans SET received_at = ? WHERE workspace = ? AND trace = ? AND run IS NULL',
      ).run(nowMicros(), workspace, trace);
      throw error;
    }
  }

  dueAt(): number {
    const row = this.#context.db
      .statement('SELECT min(received_at) AS at FROM early_spans WHERE run IS NULL')
      .get();
    return typeof row?.at === 'number' ? row.at + MAX_WAIT_MICROS : Number.POSITIVE_INFINITY;
  }
}

interface Waiting {
  readonly span: SpanRun;
  readonly parent: string | undefined;
}
interface Placed {
  readonly run: string;
  readonly order: string;
}

function placeTrace(
  context: WriterContext,
  workspace: number,
  workspaceId: string,
  trace: string,
  impatient: boolean,
): IngestResult {
  const { placed, waiting } = readTrace(context, workspace, trace);
  const runs = placeWaiting(waiting, placed, trace);
  while (impatient && waiting.size > 0) {
    adoptOrphans(waiting, placed);
    runs.push(...placeWaiting(waiting, placed, trace));
  }
  // Placed spans stay as references for their children, without content.
  const mark = context.db.statement(
    'UPDATE early_spans SET run = ?, dotted_order = ?, data = NULL WHERE workspace = ? AND trace = ? AND span = ?',
  );
  for (const { span, place } of runs) mark.run(place.id, place.dotted_order, workspace, trace, span.span);
  return runs.length === 0
    ? { refused: [], changes: [] }
    : ingest(
        context,
        workspaceId,
        runs.map(({ span, place }) => ({ span, fields: { ...span.fields, ...place } })),
      );
}

/** The spans of a trace by their IDs: those that have a place, and those that wait for their parents. */
function readTrace({ db }: WriterContext, workspace: number, trace: string) {
  const placed = new Map<string, Placed>();
  const waiting = new Map<string, Waiting>();
  const rows = db
    .statement(
      'SELECT span, parent, run, dotted_order, data FROM early_spans WHERE workspace = ? AND trace = ?',
    )
    .all(workspace, trace);
  for (const row of rows) {
    const name = String(row.span);
    if (typeof row.run === 'string') placed.set(name, { run: row.run, order: String(row.dotted_order) });
    else if (row.data instanceof Uint8Array) {
      const span = parseStored<SpanRun>(zstdDecompressSync(row.data).toString());
      waiting.set(name, { span, parent: typeof row.parent === 'string' ? row.parent : undefined });
    }
  }
  return { placed, waiting };
}

/** Moves the spans that can have a place from `waiting` to `placed`, parents first. */
function placeWaiting(waiting: Map<string, Waiting>, placed: Map<string, Placed>, trace: string) {
  const runs: { span: SpanRun; place: ReturnType<typeof placeOf> }[] = [];
  for (let before = -1; before < runs.length; ) {
    before = runs.length;
    for (const [name, { span, parent }] of waiting) {
      const above = parent === undefined ? undefined : placed.get(parent);
      const isChosen = span.dottedOrder !== undefined && span.runId !== undefined;
      if (parent !== undefined && above === undefined && !isChosen) continue;
      const place = placeOf(span, trace, above);
      placed.set(name, { run: place.id, order: place.dotted_order });
      waiting.delete(name);
      runs.push({ span, place });
    }
  }
  return runs;
}

/** Without their parents the earliest of the top spans is the root, and the others are below it. */
function adoptOrphans(waiting: Map<string, Waiting>, placed: ReadonlyMap<string, Placed>): void {
  const all = [...waiting.entries()].sort(([, a], [, b]) => a.span.start - b.span.start);
  const tops = all.filter(([, { parent }]) => parent === undefined || !waiting.has(parent));
  let [first] = placed.keys();
  // Spans that name each other as parents have no top; the earliest of them becomes one.
  for (const [name, { span }] of tops.length > 0 ? tops : all.slice(0, 1)) {
    waiting.set(name, { span, parent: first });
    first ??= name;
  }
}

function placeOf(span: SpanRun, trace: string, above: Placed | undefined) {
  if (span.dottedOrder !== undefined && span.runId !== undefined) {
    return {
      id: span.runId,
      trace_id: span.traceId ?? span.dottedOrder.split('.', 1)[0]?.slice(-36),
      dotted_order: span.dottedOrder,
      ...(span.parentRunId === undefined ? {} : { parent_run_id: span.parentRunId }),
    };
  }
  const traceId =
    above === undefined ? uuidOf(trace) : (above.order.split('.', 1)[0]?.slice(-36) ?? uuidOf(trace));
  // The root's id is that of its trace; spans have 8 bytes, which the trace's first 8 make unique.
  const id = above === undefined ? traceId : uuidOf(`${trace.slice(0, 16)}${span.span}`);
  const own = formatSegment(span.start, id);
  return above === undefined
    ? { id, trace_id: traceId, dotted_order: own }
    : { id, trace_id: traceId, dotted_order: `${above.order}.${own}`, parent_run_id: above.run };
}

function ingest(
  context: WriterContext,
  workspaceId: string,
  runs: readonly { fields: Record<string, unknown> }[],
): IngestResult {
  const parts: Part[] = [];
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const { fields } of runs) {
    const bytes = Buffer.from(JSON.stringify(fields));
    parts.push({
      name: `post.${String(fields.id)}`,
      contentType: 'application/json',
      offset,
      length: bytes.length,
    });
    pieces.push(bytes);
    offset += bytes.length;
  }
  return ingestRequest(context, { workspaceId, single: false, bytes: Buffer.concat(pieces), parts });
}

function mergeResults(results: readonly IngestResult[]): IngestResult {
  return {
    refused: results.flatMap((result) => result.refused),
    changes: results.flatMap((result) => result.changes),
  };
}

function uuidOf(hex: string): string {
  const h = hex.padEnd(32, '0');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20, 32)}`;
}
