import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseStored } from '../../storage/stored-json.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { parentIdIn } from '../runs/dotted-order.ts';
import { type KnownSpan, type Place, STAND_IN_ID } from './plan-places.ts';
import type { SpanRun } from './span-to-run.ts';

/** How many rows one statement writes. */
const ROWS_AT_ONCE = 1000;

/** An OpenTelemetry trace in a workspace. */
export interface SpanTrace {
  /** The key of the workspace. */
  readonly workspace: number;
  readonly workspaceId: string;
  /** The hexadecimal ID of the trace. */
  readonly trace: string;
}

/**
 * The spans of one trace in the table `early_spans`: waiting spans with their content, and placed spans without it, as
 * parents for the spans below them. Spans are identified by their hexadecimal ID, and the stand-in root by
 * `STAND_IN_ID`.
 */
export class EarlySpans {
  readonly #db: TracesDatabase;
  readonly #spanTrace: SpanTrace;
  readonly #spans = new Map<string, KnownSpan>();
  /** Spans that were sent with this request. */
  readonly #sent = new Map<string, SpanRun>();
  #waiting: ReadonlyMap<string, SpanRun> | undefined;

  constructor(db: TracesDatabase, spanTrace: SpanTrace) {
    this.#db = db;
    this.#spanTrace = spanTrace;
    const rows = db
      .statement(
        'SELECT span, parent, run, dotted_order, refused FROM early_spans WHERE workspace = ? AND trace = ?',
      )
      .all(spanTrace.workspace, spanTrace.trace);
    for (const row of rows) {
      const spanId = String(row.span);
      const isPlaced = typeof row.run === 'string';
      this.#spans.set(spanId, {
        parent: typeof row.parent === 'string' ? row.parent : undefined,
        place: isPlaced ? { run: String(row.run), order: String(row.dotted_order) } : undefined,
        // A span whose sender chose its place waits only after it has been refused.
        chosen: row.refused === null || isPlaced ? undefined : chosenPlace(this.content(spanId)),
        start: () => this.content(spanId)?.start ?? 0,
      });
    }
  }

  /** All spans of the trace, by ID. */
  get known(): ReadonlyMap<string, KnownSpan> {
    return this.#spans;
  }

  /** The IDs of waiting spans. */
  get waiting(): string[] {
    return [...this.#spans].filter(([, { place }]) => place === undefined).map(([spanId]) => spanId);
  }

  /** Adds a span that was sent. A span that already has its place does not change. */
  add(span: SpanRun): void {
    if (this.#spans.get(span.span)?.place !== undefined) return;
    this.#sent.set(span.span, span);
    this.#spans.set(span.span, {
      parent: span.parent,
      place: undefined,
      chosen: chosenPlace(span),
      start: () => span.start,
    });
  }

  /** Whether a span was sent with this request, so that its sender can be told what happened. */
  isSent(spanId: string): boolean {
    return this.#sent.has(spanId);
  }

  /** Handles a refused span: drops it if this request sent it, and keeps it with the reason if it was waiting. */
  refuse(spanId: string, reason: string): void {
    if (this.isSent(spanId)) this.drop(spanId);
    else this.#noteRefusal(spanId, reason);
  }

  /** Drops a span that this request sent. Its sender must be told. */
  drop(spanId: string): void {
    this.#sent.delete(spanId);
    this.#spans.delete(spanId);
  }

  /** Returns the content of a span that was sent or is waiting. */
  content(spanId: string): SpanRun | undefined {
    return this.#sent.get(spanId) ?? this.#stored().get(spanId);
  }

  /** Stores sent spans that are still waiting. */
  keepWaiting(): void {
    const insert = this.#db.statement(
      `INSERT INTO early_spans (workspace, trace, span, parent, run, dotted_order, data, received_at)
       VALUES (?, ?, ?, ?, NULL, NULL, ?, ?)
       ON CONFLICT (workspace, trace, span) DO UPDATE SET parent = excluded.parent, data = excluded.data,
         refused = NULL, received_at = excluded.received_at`,
    );
    const { workspace, trace } = this.#spanTrace;
    for (const [spanId, span] of this.#sent) {
      if (this.#spans.get(spanId)?.place !== undefined) continue;
      const data = zstdCompressSync(JSON.stringify(span));
      insert.run(workspace, trace, spanId, span.parent ?? null, data, nowMicros());
    }
  }

  /** Records why a waiting span could not be stored as a run. The span is kept. */
  #noteRefusal(spanId: string, reason: string): void {
    const { workspace, trace } = this.#spanTrace;
    this.#db
      .statement('UPDATE early_spans SET refused = ? WHERE workspace = ? AND trace = ? AND span = ?')
      .run(reason, workspace, trace, spanId);
  }

  /** Records the places of spans whose content has been stored as runs. */
  notePlaces(places: ReadonlyMap<string, Place>): void {
    const rows = [...places].map(([spanId, { run, order }]) => {
      const { parent } = this.#spans.get(spanId) ?? {};
      this.#spans.set(spanId, { parent, place: { run, order }, chosen: undefined, start: () => 0 });
      return { span: spanId, parent: parent ?? null, run, order };
    });
    for (const some of slices(rows)) {
      this.#db
        .statement(
          `INSERT INTO early_spans (workspace, trace, span, parent, run, dotted_order, data, received_at)
           SELECT CAST(? AS BIGINT), CAST(? AS TEXT), json_extract(value, '$.span'), json_extract(value, '$.parent'),
             json_extract(value, '$.run'), json_extract(value, '$.order'), NULL, CAST(? AS BIGINT)
           FROM json_each(CAST(? AS TEXT)) WHERE true
           ON CONFLICT (workspace, trace, span) DO UPDATE SET run = excluded.run, dotted_order = excluded.dotted_order,
             data = NULL, refused = NULL`,
        )
        .run(this.#spanTrace.workspace, this.#spanTrace.trace, nowMicros(), JSON.stringify(some));
    }
  }

  /** Records that more of the trace has arrived while a stand-in replaces the root. */
  noteArrival(): void {
    const { workspace, trace } = this.#spanTrace;
    if (!this.#spans.has(STAND_IN_ID)) return;
    this.#db
      .statement(
        `UPDATE early_spans SET received_at = ? WHERE workspace = ? AND trace = ? AND span = '${STAND_IN_ID}'`,
      )
      .run(nowMicros(), workspace, trace);
  }

  /** Moves stored runs to other places in their trace. */
  moveRuns(places: readonly Place[]): void {
    const rows = places.map(({ run, order }) => ({ run, order, parent: parentIdIn(order) ?? null }));
    for (const some of slices(rows)) {
      this.#db
        .statement(
          `UPDATE runs SET dotted_order = moved.dotted_order, parent_id = moved.parent
           FROM (SELECT json_extract(value, '$.run') AS run, json_extract(value, '$.order') AS dotted_order,
             json_extract(value, '$.parent') AS parent FROM json_each(CAST(? AS TEXT))) AS moved
           WHERE runs.id = moved.run AND runs.workspace = ?`,
        )
        .run(JSON.stringify(some), this.#spanTrace.workspace);
    }
  }

  /** Removes a span together with its content. */
  remove(spanId: string): void {
    const { workspace, trace } = this.#spanTrace;
    this.#spans.delete(spanId);
    this.#db
      .statement('DELETE FROM early_spans WHERE workspace = ? AND trace = ? AND span = ?')
      .run(workspace, trace, spanId);
  }

  /** The stored spans, read on demand: while all of them are waiting, their content is not needed. */
  #stored(): ReadonlyMap<string, SpanRun> {
    this.#waiting ??= new Map(
      this.#db
        .statement(
          'SELECT span, data FROM early_spans WHERE workspace = ? AND trace = ? AND run IS NULL AND data IS NOT NULL',
        )
        .all(this.#spanTrace.workspace, this.#spanTrace.trace)
        .map(({ span, data }) => [String(span), readSpan(data)]),
    );
    return this.#waiting;
  }
}

/** Decompresses the content of a waiting span. */
export function readSpan(data: unknown): SpanRun {
  if (!(data instanceof Uint8Array)) throw new Error('A waiting span has no content.');
  return parseStored<SpanRun>(zstdDecompressSync(data).toString());
}

/** The place that the sender of a span chose with LangSmith's attributes. */
function chosenPlace(span: SpanRun | undefined): Place | undefined {
  if (span?.dottedOrder === undefined || span.runId === undefined) return undefined;
  return { run: span.runId, order: span.dottedOrder };
}

function* slices<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}
