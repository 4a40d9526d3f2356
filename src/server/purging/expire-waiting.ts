import { DAY_MICROS } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { uuidOf } from '../tracing/otlp/plan-places.ts';
import { DEFAULT_DAYS } from '../tracing/sessions/retention.ts';
import { deleteUnstored } from './delete-trace.ts';

/** A condition for rows that have waited longer than their workspace keeps traces; its parameter is the time. */
const isOld = (table: string) => `received_at + ${DAY_MICROS} * coalesce((SELECT shortlived_days
  FROM retention_settings AS setting WHERE setting.workspace = ${table}.workspace), ${DEFAULT_DAYS.shortlived}) <= ?`;

/**
 * Deletes updates, spans and log records that still wait for their run or trace, at the age at which a trace would be
 * deleted. If nothing of the trace is stored, its other data, such as feedback, is deleted too.
 * @param now in microseconds.
 */
export function expireWaiting(db: TracesDatabase, now: number): void {
  const remove = (sql: string, idOf: (trace: unknown) => string = String) =>
    db
      .statement(sql)
      .all(now)
      .map(({ workspace, trace }) => ({ workspace: Number(workspace), trace: idOf(trace) }));
  const idOfOtlp = (trace: unknown) => uuidOf(String(trace));
  const gone = [
    ...remove(
      `DELETE FROM early_patches WHERE ${isOld('early_patches')}
       RETURNING workspace, coalesce(trace_id, run_id) AS trace`,
    ),
    ...remove(
      `DELETE FROM early_spans WHERE run IS NULL AND ${isOld('early_spans')} RETURNING workspace, trace`,
      idOfOtlp,
    ),
    ...remove(`DELETE FROM early_logs WHERE ${isOld('early_logs')} RETURNING workspace, trace`, idOfOtlp),
  ];
  for (const [workspace, rows] of Map.groupBy(gone, (row) => row.workspace))
    deleteUnstored(db, workspace, [...new Set(rows.map(({ trace }) => trace))]);
}
