import { isObject } from '../../../process/objects.ts';
import type { BoundStatement } from '../../storage/sync-database.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { DAY_MICROS } from '../time.ts';

/** No run of a deployment takes longer; what is older has been looked at before. */
export const LOOKED_BACK_MICROS = 2 * DAY_MICROS;
const IS_ATTEMPT = "labels.kind = 'metadata' AND labels.name = 'run_attempt'";
const ATTEMPTS = `SELECT labels.value FROM run_labels JOIN labels ON labels.key = run_labels.label
  WHERE run_labels.run = ? AND ${IS_ATTEMPT}`;

/** A condition on `runs`: those of an agent server carry the number of their attempt; other programs may trace to its project. */
export const HAS_ATTEMPT = `EXISTS (SELECT 1 FROM run_labels JOIN labels ON labels.key = run_labels.label
  WHERE run_labels.run = runs.key AND ${IS_ATTEMPT})`;

/** Which attempt of a run of an agent server its metadata say. */
export function attemptIn(metadata: unknown): number | undefined {
  const attempt = isObject(metadata) ? metadata.run_attempt : undefined;
  return typeof attempt === 'number' ? attempt : undefined;
}

/** The last attempts in which runs were stored: one that goes on in another attempt has the labels of both. */
export function lastAttemptsOf(db: TracesDatabase, runs: readonly number[]): (number | undefined)[] {
  const labels = db.allOf(
    runs.map((run): BoundStatement<{ value: string }> => ({ sql: ATTEMPTS, values: [run] })),
  );
  return labels.map((rows) => {
    const attempts = rows.map(({ value }) => Number(value)).filter(Number.isInteger);
    return attempts.length === 0 ? undefined : Math.max(...attempts);
  });
}

/** The last attempt in which a run was stored. */
export function lastAttemptOf(db: TracesDatabase, run: number): number | undefined {
  return lastAttemptsOf(db, [run])[0];
}

/** When the attempts of a run began, by the spans that were first stored in them; the root goes on in all of them. */
const BEGUN = `SELECT begun.attempt, MIN(begun.start_time) AS began FROM (
    SELECT runs.start_time, MIN(labels.value) AS attempt FROM runs
    JOIN traces ON traces.key = runs.trace
    JOIN run_labels ON run_labels.run = runs.key JOIN labels ON labels.key = run_labels.label
    WHERE traces.id = ? AND runs.workspace = ? AND runs.parent_id IS NOT NULL AND ${IS_ATTEMPT}
    GROUP BY runs.key, runs.start_time
  ) AS begun GROUP BY begun.attempt`;

/** Says when the attempt after another one began; undefined when nothing of it was stored. */
export function nextBegan(
  db: TracesDatabase,
  workspace: number,
  traceId: string,
): (attempt: number) => number | undefined {
  const begun = db
    .statement(BEGUN)
    .all(traceId, workspace)
    .map(({ attempt, began }) => ({ attempt: Number(attempt), began: Number(began) }));
  return (attempt) => {
    const later = begun.filter((other) => other.attempt > attempt).map(({ began }) => began);
    return later.length === 0 ? undefined : Math.min(...later);
  };
}
