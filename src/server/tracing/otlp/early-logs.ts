import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseStored } from '../../storage/stored-json.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { SpanTrace } from './early-spans.ts';
import type { RunEvent } from './run-events.ts';

/**
 * The maximum number of events per span. No model call has more, and all of them are read again with each new one.
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
 * Keeps log records until their span has a place; records that are already kept do not change.
 * @returns how many records were dropped, because the span has too many of them.
 */
export function keepEarlyLogs(
  db: TracesDatabase,
  { workspace, trace }: SpanTrace,
  span: string,
  logs: readonly EarlyLog[],
): number {
  const kept = db
    .statement('SELECT digest, size_bytes FROM early_logs WHERE workspace = ? AND trace = ? AND span = ?')
    .all(workspace, trace, span);
  const digests = new Set(kept.map(({ digest }) => String(digest)));
  let bytes = kept.reduce((sum, row) => sum + Number(row.size_bytes), 0);
  const insert = db.statement(
    'INSERT INTO early_logs (workspace, trace, span, digest, data, size_bytes, received_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  let dropped = 0;
  for (const log of logs) {
    const digest = createHash('sha256').update(JSON.stringify(log.event)).digest('hex');
    // Senders repeat a request whose answer was lost.
    if (digests.has(digest)) continue;
    const text = JSON.stringify(log);
    const size = Buffer.byteLength(text);
    if (digests.size >= MAX_EVENTS || bytes + size > MAX_EVENTS_BYTES) {
      dropped++;
      continue;
    }
    insert.run(workspace, trace, span, digest, zstdCompressSync(text), size, nowMicros());
    digests.add(digest);
    bytes += size;
  }
  return dropped;
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
  if (!(data instanceof Uint8Array)) throw new Error('A waiting log record has no content.');
  return parseStored<EarlyLog>(zstdDecompressSync(data).toString());
}
