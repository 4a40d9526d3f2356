import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseStored } from '../../storage/stored-json.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { type KnownSpan, type Place, parentOf, STAND_IN_NAME } from './plan-places.ts';
import type { SpanRun } from './span-to-run.ts';

/** How many rows one statement writes. */
const ROWS_AT_ONCE = 1000;

/** An OpenTelemetry trace in a workspace, identified by its hexadecimal ID. */
export interface SpanTrace {
  readonly workspace: number;
  readonly workspaceId: string;
  readonly trace: string;
}

/**
 * The rows of `early_spans` of one trace: waiting spans with their content, and placed spans without it, as parents for
 * the spans below them.
 */
export class EarlySpans {
  readonly #db: TracesDatabase;
  readonly #of: SpanTrace;
  readonly #spans = new Map<string, KnownSpan>();
  /** Spans that were sent with this request. */
  readonly #sent = new Map<string, SpanRun>();
  #waiting: ReadonlyMap<string, SpanRun> | undefined;

  constructor(db: TracesDatabase, of: SpanTrace) {
    this.#db = db;
    this.#of = of;
    const rows = db
      .statement(
        'SELECT span, parent, run, dotted_order, refused FROM early_spans WHERE workspace = ? AND trace = ?',
      )
      .all(of.workspace, of.trace);
    for (const row of rows) {
      const name = String(row.span);
      const isPlaced = typeof row.run === 'string';
      this.#spans.set(name, {
        parent: typeof row.parent === 'string' ? row.parent : undefined,
        place: isPlaced ? { run: String(row.run), order: String(row.dotted_order) } : undefined,
        // A span whose sender chose its place waits only after it has been refused.
        chosen: row.refused === null || isPlaced ? undefined : chosenPlace(this.content(name)),
        start: () => this.content(name)?.start ?? 0,
      });
    }
  }

  get known(): ReadonlyMap<string, KnownSpan> {
    return this.#spans;
  }

  /** The names of waiting spans. */
  get waiting(): string[] {
    return [...this.#spans].filter(([, { place }]) => place === undefined).map(([name]) => name);
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

  isSent(name: string): boolean {
    return this.#sent.has(name);
  }

  /** Handles a refused span: removes it if its sender can be told, and keeps it with the reason if it was waiting. */
  refuse(name: string, reason: string): void {
    if (this.isSent(name)) this.drop(name);
    else this.noteRefusal(name, reason);
  }

  /** Removes a span that was refused while its sender could be told. */
  drop(name: string): void {
    this.#sent.delete(name);
    this.#spans.delete(name);
  }

  /** Returns the content of a span that was sent or is waiting. */
  content(name: string): SpanRun | undefined {
    return this.#sent.get(name) ?? this.#stored().get(name);
  }

  /** Stores sent spans that are still waiting. */
  keepWaiting(): void {
    const insert = this.#db.statement(
      `INSERT INTO early_spans (workspace, trace, span, parent, run, dotted_order, data, received_at)
       VALUES (?, ?, ?, ?, NULL, NULL, ?, ?)
       ON CONFLICT (workspace, trace, span) DO UPDATE SET parent = excluded.parent, data = excluded.data,
         refused = NULL, received_at = excluded.received_at`,
    );
    const { workspace, trace } = this.#of;
    for (const [name, span] of this.#sent) {
      if (this.#spans.get(name)?.place !== undefined) continue;
      const data = zstdCompressSync(JSON.stringify(span));
      insert.run(workspace, trace, name, span.parent ?? null, data, nowMicros());
    }
  }

  /** Records why a span, which is kept, could not be stored as a run. */
  noteRefusal(name: string, reason: string): void {
    const { workspace, trace } = this.#of;
    this.#db
      .statement('UPDATE early_spans SET refused = ? WHERE workspace = ? AND trace = ? AND span = ?')
      .run(reason, workspace, trace, name);
  }

  /** Records the places of spans whose content has been stored as runs. */
  notePlaces(places: ReadonlyMap<string, Place>): void {
    const rows = [...places].map(([name, { run, order }]) => {
      const { parent } = this.#spans.get(name) ?? {};
      this.#spans.set(name, { parent, place: { run, order }, chosen: undefined, start: () => 0 });
      return { span: name, parent: parent ?? null, run, order };
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
        .run(this.#of.workspace, this.#of.trace, nowMicros(), JSON.stringify(some));
    }
  }

  /** Records that more of the trace has arrived while a stand-in replaces the root. */
  noteArrival(): void {
    const { workspace, trace } = this.#of;
    if (!this.#spans.has(STAND_IN_NAME)) return;
    this.#db
      .statement(
        `UPDATE early_spans SET received_at = ? WHERE workspace = ? AND trace = ? AND span = '${STAND_IN_NAME}'`,
      )
      .run(nowMicros(), workspace, trace);
  }

  /** Moves stored runs to other places in their trace. */
  moveRuns(places: readonly Place[]): void {
    const rows = places.map(({ run, order }) => ({ run, order, parent: parentOf(order) ?? null }));
    for (const some of slices(rows)) {
      this.#db
        .statement(
          `UPDATE runs SET dotted_order = moved.dotted_order, parent_id = moved.parent
           FROM (SELECT json_extract(value, '$.run') AS run, json_extract(value, '$.order') AS dotted_order,
             json_extract(value, '$.parent') AS parent FROM json_each(CAST(? AS TEXT))) AS moved
           WHERE runs.id = moved.run AND runs.workspace = ?`,
        )
        .run(JSON.stringify(some), this.#of.workspace);
    }
  }

  /** Removes the row of a span, when nothing is lost with it. */
  remove(name: string): void {
    const { workspace, trace } = this.#of;
    this.#spans.delete(name);
    this.#db
      .statement('DELETE FROM early_spans WHERE workspace = ? AND trace = ? AND span = ?')
      .run(workspace, trace, name);
  }

  /** The stored spans, read on demand: while all of them are waiting, their content is not needed. */
  #stored(): ReadonlyMap<string, SpanRun> {
    this.#waiting ??= new Map(
      this.#db
        .statement(
          'SELECT span, data FROM early_spans WHERE workspace = ? AND trace = ? AND run IS NULL AND data IS NOT NULL',
        )
        .all(this.#of.workspace, this.#of.trace)
        .map(({ span, data }) => [String(span), readSpan(data)]),
    );
    return this.#waiting;
  }
}

/** Reads the original content of a row. */
export function readSpan(data: unknown): SpanRun {
  if (!(data instanceof Uint8Array)) throw new Error('The content of a waiting span is not there.');
  return parseStored<SpanRun>(zstdDecompressSync(data).toString());
}

function chosenPlace(span: SpanRun | undefined): Place | undefined {
  if (span?.dottedOrder === undefined || span.runId === undefined) return undefined;
  return { run: span.runId, order: span.dottedOrder };
}

function* slices<Row>(rows: readonly Row[]): Iterable<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) yield rows.slice(at, at + ROWS_AT_ONCE);
}
