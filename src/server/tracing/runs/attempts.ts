import { isObject } from '../../../process/objects.ts';
import type { BoundStatement } from '../../storage/sync-database.ts';
import { DAY_MICROS } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/** How old an unfinished run may be: no run of a deployment takes longer, and older ones have been checked before. */
export const LOOK_BACK_MICROS = 2 * DAY_MICROS;
/** The condition for labels that are attempt numbers. */
export const IS_ATTEMPT = "labels.kind = 'metadata' AND labels.name = 'run_attempt'";
const ATTEMPTS = `SELECT labels.value FROM run_labels JOIN labels ON labels.key = run_labels.label
  WHERE run_labels.run = ? AND ${IS_ATTEMPT}`;

/**
 * The condition for runs of an agent server, which have an attempt number: other programs may trace to the same
 * project.
 */
export const HAS_ATTEMPT = `EXISTS (SELECT 1 FROM run_labels JOIN labels ON labels.key = run_labels.label
  WHERE run_labels.run = runs.key AND ${IS_ATTEMPT})`;

/** The attempt number in the metadata of an agent server's run; undefined for other runs. */
export function attemptIn(metadata: unknown): number | undefined {
  const attempt = isObject(metadata) ? metadata.run_attempt : undefined;
  return typeof attempt === 'number' ? attempt : undefined;
}

/**
 * Finds the last attempts in which runs were stored: one result per run, undefined without an attempt number. A run
 * that continues in another attempt has the labels of both.
 */
export function lastAttemptsOf(db: TracesDatabase, runs: readonly number[]): (number | undefined)[] {
  const labels = db.allOf(
    runs.map((run): BoundStatement<{ value: string }> => ({ sql: ATTEMPTS, values: [run] })),
  );
  return labels.map((rows) => {
    const attempts = rows.map(({ value }) => Number(value)).filter(Number.isInteger);
    return attempts.length === 0 ? undefined : Math.max(...attempts);
  });
}

/** Finds the last attempt in which a run was stored; undefined without an attempt number. */
export function lastAttemptOf(db: TracesDatabase, run: number): number | undefined {
  return lastAttemptsOf(db, [run])[0];
}

/**
 * Selects the attempts in which the spans of a run were stored, except for the root, which continues in all of them.
 */
const SPANS_WITH_ATTEMPTS = `SELECT runs.key AS run, runs.start_time AS began, labels.value AS attempt FROM runs
  JOIN traces ON traces.key = runs.trace
  JOIN run_labels ON run_labels.run = runs.key JOIN labels ON labels.key = run_labels.label
  WHERE traces.id = ? AND runs.workspace = ? AND runs.parent_id IS NOT NULL AND ${IS_ATTEMPT}`;

/**
 * Reads when the attempts of a trace began: each began with the earliest of the spans that were first stored
 * in it.
 * @returns a function that tells when the first attempt after a given one began, in microseconds; undefined
 * if no later attempt has stored a span.
 */
export function attemptStarts(
  db: TracesDatabase,
  workspace: number,
  traceId: string,
): (attempt: number) => number | undefined {
  const first = new Map<number, { attempt: number; began: number }>();
  for (const row of db.statement(SPANS_WITH_ATTEMPTS).all(traceId, workspace)) {
    const [run, began, attempt] = [Number(row.run), Number(row.began), Number(row.attempt)];
    // Labels are texts, and as a text, '10' would come before '9'.
    if (Number.isInteger(attempt) && attempt < (first.get(run)?.attempt ?? Number.POSITIVE_INFINITY))
      first.set(run, { attempt, began });
  }
  return (attempt) => {
    const later = [...first.values()].filter((other) => other.attempt > attempt);
    return later.length === 0
      ? undefined
      : later.reduce((least, { began }) => Math.min(least, began), Infinity);
  };
}
