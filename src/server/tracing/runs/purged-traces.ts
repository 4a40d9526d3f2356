import type { BoundStatement } from '../../storage/sync-database.ts';
import { DAY_MICROS, nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { RunRefused } from './refusal.ts';

/**
 * Spans of a purged trace are refused for this long, because runs continue for hours, and programs retry for days.
 */
const REMEMBERED_MICROS = 7 * DAY_MICROS;

/** Records purged traces, so that their late spans are refused. */
export function rememberPurged(db: TracesDatabase, workspace: number, traceIds: readonly string[]): void {
  db.statement(
    `INSERT INTO purged_traces (workspace, trace_id, purged_at)
     SELECT CAST(? AS BIGINT), value, CAST(? AS BIGINT) FROM json_each(CAST(? AS TEXT)) WHERE true
     ON CONFLICT (trace_id, workspace) DO UPDATE SET purged_at = excluded.purged_at`,
  ).run(workspace, nowMicros(), JSON.stringify([...new Set(traceIds)]));
}

/** Deletes the records of traces that were purged long ago. */
export function forgetPurged(db: TracesDatabase, now: number): void {
  db.statement('DELETE FROM purged_traces WHERE purged_at <= ?').run(now - REMEMBERED_MICROS);
}

/** Selects the IDs of those of the traces that were recently purged. */
export function purgedAmong(
  workspace: number,
  traceIds: readonly string[],
): BoundStatement<{ trace_id: string }> {
  return {
    sql: `SELECT trace_id FROM purged_traces
      WHERE trace_id IN (SELECT value FROM json_each(cast(? AS text))) AND workspace = ?`,
    values: [JSON.stringify(traceIds), workspace],
  };
}

/** The refusal of a span of a purged trace. */
export function purgedRefusal(traceId: string, runId: string): RunRefused {
  return new RunRefused(
    `trace_id:${traceId} was purged: its later runs are not stored, such as run_id:${runId}. Use another trace ID`,
    { type: 'purged' },
  );
}
