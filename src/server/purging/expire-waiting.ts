import { DAY_MICROS } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { uuidOf } from '../tracing/otlp/plan-places.ts';
import { DEFAULT_DAYS } from '../tracing/sessions/retention.ts';
import { deleteUnstored } from './delete-trace.ts';

/** SQL for rows that have waited longer than their workspace keeps traces; its parameter is the time. */
const isOld = (table: string) => `received_at + ${DAY_MICROS} * coalesce((SELECT shortlived_days
  FROM retention_settings AS setting WHERE setting.workspace = ${table}.workspace), ${DEFAULT_DAYS.shortlived}) <= ?`;

/**
 * Deletes updates, spans and log records that still wait for their run or trace, at the age at which a trace would be
 * deleted. If nothing of the trace is stored, its other data, such as feedback, is deleted too.
 */
export function expireWaiting(db: TracesDatabase, now: number): void {
  const gone = [
    ...db
      .statement(
        `DELETE FROM early_patches WHERE ${isOld('early_patches')}
         RETURNING workspace, coalesce(trace_id, run_id) AS trace`,
      )
      .all(now)
      .map(({ workspace, trace }) => ({ workspace: Number(workspace), trace: String(trace) })),
    ...db
      .statement(
        `DELETE FROM early_spans WHERE run IS NULL AND ${isOld('early_spans')} RETURNING workspace, trace`,
      )
      .all(now)
      .map(({ workspace, trace }) => ({ workspace: Number(workspace), trace: uuidOf(String(trace)) })),
    ...db
      .statement(`DELETE FROM early_logs WHERE ${isOld('early_logs')} RETURNING workspace, trace`)
      .all(now)
      .map(({ workspace, trace }) => ({ workspace: Number(workspace), trace: uuidOf(String(trace)) })),
  ];
  for (const [workspace, rows] of Map.groupBy(gone, (row) => row.workspace))
    deleteUnstored(db, workspace, [...new Set(rows.map(({ trace }) => trace))]);
}
