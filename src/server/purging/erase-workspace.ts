import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { PLACES } from './places.ts';

/** The maximum number of rows per statement. */
const ROWS_AT_ONCE = 200;

/**
 * Deletes as much of a workspace's data, other than its traces, as fits in the time.
 * @param until a time of `performance.now()`.
 * @returns whether everything has been deleted.
 */
export function eraseWorkspace({ db, caches }: WriterContext, workspace: number, until: number): boolean {
  const tables = Object.entries(PLACES).map(([table, { ofWorkspace }]) => ({ table, ofWorkspace }));
  for (const { table, ofWorkspace } of tables) {
    if (typeof ofWorkspace === 'string' || ofWorkspace.by !== 'workspace') continue;
    const { rowKey: key } = ofWorkspace;
    const remove = db.statement(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE workspace = ? LIMIT ${ROWS_AT_ONCE})`,
    );
    while (Number(remove.run(workspace).changes) > 0) if (performance.now() > until) return false;
  }
  for (const { ofWorkspace } of tables)
    if (typeof ofWorkspace !== 'string' && ofWorkspace.by === 'others')
      db.statement(ofWorkspace.sql).run(workspace);
  caches.clear();
  return true;
}

/** The number of remaining rows of a workspace by table, without empty tables. */
export function countRemaining(db: TracesDatabase, workspace: number): Record<string, number> {
  const byWorkspace = Object.entries(PLACES).flatMap(([table, { ofWorkspace }]) =>
    typeof ofWorkspace !== 'string' && ofWorkspace.by === 'workspace' ? [table] : [],
  );
  // Rows without a workspace belong to one of these: labels to a session, versions to a dataset.
  const tables = [...byWorkspace, 'traces', 'runs', 'datasets', 'sessions'];
  const counts = tables.map((table): [string, number] => [
    table,
    Number(db.statement(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?`).get(workspace)?.n ?? 0),
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
