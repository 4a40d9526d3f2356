import { isObject } from '../../../process/objects.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

const STORED = `SELECT labels.value FROM run_labels JOIN labels ON labels.key = run_labels.label
  WHERE run_labels.run = ? AND labels.kind = 'metadata' AND labels.name = 'run_attempt'`;

/** Which attempt of a run of an agent server its metadata say. */
export function attemptIn(metadata: unknown): number | undefined {
  const attempt = isObject(metadata) ? metadata.run_attempt : undefined;
  return typeof attempt === 'number' ? attempt : undefined;
}

/** The last attempt in which a run was stored. */
export function lastAttemptOf(db: TracesDatabase, run: number): number | undefined {
  const attempts = db
    .statement(STORED)
    .all(run)
    .map(({ value }) => Number(value))
    .filter(Number.isInteger);
  return attempts.length === 0 ? undefined : Math.max(...attempts);
}
