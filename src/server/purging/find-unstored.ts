import type { TracesDatabase } from '../tracing/database/traces-database.ts';

/** Finds the traces of which nothing is stored in a workspace, although some of their data may be waiting. */
export function findUnstored(db: TracesDatabase, workspace: number, traceIds: Iterable<string>): string[] {
  const stored = db.statement('SELECT 1 FROM traces WHERE id = ? AND workspace = ?');
  return [...traceIds].filter((id) => stored.get(id, workspace) === undefined);
}
