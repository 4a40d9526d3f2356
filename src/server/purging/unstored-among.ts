import type { TracesDatabase } from '../tracing/database/traces-database.ts';

/** The traces of which a workspace has stored nothing; some of their data may be waiting. */
export function unstoredAmong(db: TracesDatabase, workspace: number, traceIds: Iterable<string>): string[] {
  const stored = db.statement('SELECT 1 FROM traces WHERE id = ? AND workspace = ?');
  return [...traceIds].filter((id) => stored.get(id, workspace) === undefined);
}
