import type { TracesDatabase } from '../tracing/database/traces-database.ts';

/**
 * Adds traces of which nothing is stored to the targets of a job. They have no keys yet, so they get negative ones. A
 * trace may have been stored by the time it is deleted (`replaceIfStored`).
 * @returns the number of added traces.
 */
export function addWaitingTargets(
  db: TracesDatabase,
  target: { readonly job: string; readonly workspace: number },
  traceIds: Iterable<string>,
): number {
  const row = db
    .statement('SELECT coalesce(min(trace), 0) AS lowest FROM purge_targets WHERE job = ? AND trace < 0')
    .get(target.job);
  const insert = db.statement(
    'INSERT INTO purge_targets (job, trace, trace_id, workspace) VALUES (?, ?, ?, ?)',
  );
  let key = Number(row?.lowest ?? 0);
  let added = 0;
  for (const id of traceIds) {
    insert.run(target.job, --key, id, target.workspace);
    added++;
  }
  return added;
}

/**
 * Replaces a waiting target by its trace, if the trace has been stored since.
 * @returns whether it has been stored.
 */
export function replaceIfStored(
  db: TracesDatabase,
  target: { readonly job: string; readonly key: number; readonly id: string; readonly workspace: number },
): boolean {
  const stored = db
    .statement('SELECT key FROM traces WHERE id = ? AND workspace = ?')
    .get(target.id, target.workspace);
  if (stored === undefined) return false;
  db.statement('DELETE FROM purge_targets WHERE job = ? AND trace = ?').run(target.job, target.key);
  db.statement(
    'INSERT INTO purge_targets (job, trace, trace_id, workspace) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  ).run(target.job, Number(stored.key), target.id, target.workspace);
  return true;
}
