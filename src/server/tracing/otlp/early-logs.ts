import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseStored } from '../../storage/stored-json.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { SpanTrace } from './early-spans.ts';
import type { RunEvent } from './run-events.ts';

/**
 * The maximum number of events per span. No model call has more; a sender of more does so by mistake, and all of them
 * are read again with each new one.
 */
export const MAX_EVENTS = 1_000;
export const MAX_EVENTS_BYTES = 32 * 1024 * 1024;

/** A log record that arrived before its span. */
export interface EarlyLog {
  readonly event: RunEvent;
  /** The projects to which the sender may write; all when undefined. */
  readonly projects?: readonly string[] | undefined;
}

/**
 * Keeps log records until their span has a place.
 * @returns how many were dropped, because the span has too many of them.
 */
export function keepEarlyLogs(
  db: TracesDatabase,
  { workspace, trace }: SpanTrace,
  span: string,
  logs: readonly EarlyLog[],
): number {
  const kept = db
    .statement(
      'SELECT count(*) AS n, coalesce(sum(size_bytes), 0) AS bytes FROM early_logs WHERE workspace = ? AND trace = ? AND span = ?',
    )
    .get(workspace, trace, span);
  let [count, bytes] = [Number(kept?.n), Number(kept?.bytes)];
  const insert = db.statement(
    `INSERT INTO early_logs (workspace, trace, span, digest, data, size_bytes, received_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace, trace, span, digest) DO NOTHING`,
  );
  let refused = 0;
  for (const log of logs) {
    const text = JSON.stringify(log);
    const size = Buffer.byteLength(text);
    if (count >= MAX_EVENTS || bytes + size > MAX_EVENTS_BYTES) {
      refused++;
      continue;
    }
    const digest = createHash('sha256').update(JSON.stringify(log.event)).digest('hex');
    insert.run(workspace, trace, span, digest, zstdCompressSync(text), size, nowMicros());
    count++;
    bytes += size;
  }
  return refused;
}

/** The waiting log records of a trace, by span. */
export function readEarlyLogs(
  db: TracesDatabase,
  { workspace, trace }: SpanTrace,
): ReadonlyMap<string, readonly EarlyLog[]> {
  // Usually, no records are waiting.
  if (db.statement('SELECT 1 FROM early_logs LIMIT 1').get() === undefined) return new Map();
  const rows = db
    .statement('SELECT span, data FROM early_logs WHERE workspace = ? AND trace = ? ORDER BY rowid')
    .all(workspace, trace);
  return Map.groupBy(
    rows.map(({ span, data }) => ({ span: String(span), ...readLog(data) })),
    ({ span }) => span,
  );
}

/** Removes the waiting records of a span. */
export function removeEarlyLogs(db: TracesDatabase, { workspace, trace }: SpanTrace, span: string): void {
  db.statement('DELETE FROM early_logs WHERE workspace = ? AND trace = ? AND span = ?').run(
    workspace,
    trace,
    span,
  );
}

function readLog(data: unknown): EarlyLog {
  if (!(data instanceof Uint8Array)) throw new Error('The content of a waiting log record is not there.');
  return parseStored<EarlyLog>(zstdDecompressSync(data).toString());
}
