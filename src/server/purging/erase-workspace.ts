import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import type { WriterContext } from '../tracing/writer-context.ts';

const ROWS_AT_ONCE = 200;

/** The tables of a workspace besides its traces, and what identifies their rows. */
const TABLES = [
  ['feedback_tokens', 'id'],
  ['shares', 'token'],
  ['feedback', 'key'],
  ['feedback_configs', 'rowid'],
  ['early_patches', 'rowid'],
  ['early_spans', 'rowid'],
  ['example_files', 'key'],
  ['example_versions', 'key'],
  ['comparisons', 'key'],
  ['run_rules', 'key'],
  ['rule_queue', 'trace'],
  ['retention_settings', 'rowid'],
  ['purge_settings', 'rowid'],
] as const;

/** Rows that name their workspace through another table. */
const INDIRECT = [
  'DELETE FROM dataset_versions WHERE dataset IN (SELECT key FROM datasets WHERE workspace = ?)',
  'DELETE FROM dataset_tags WHERE dataset IN (SELECT key FROM datasets WHERE workspace = ?)',
  'DELETE FROM labels WHERE session IN (SELECT key FROM sessions WHERE workspace = ?)',
  'DELETE FROM datasets WHERE workspace = ?',
  'DELETE FROM sessions WHERE workspace = ?',
  // Its own purges only remain in the append-only audit log.
  `DELETE FROM purge_jobs WHERE workspace = ? AND step IN ('verified', 'failed')`,
] as const;

/**
 * Deletes what a workspace has besides its traces, as much of it as fits in the time.
 * @param until of `performance.now()`
 * @returns whether everything is gone.
 */
export function eraseWorkspace({ db, caches }: WriterContext, workspace: number, until: number): boolean {
  for (const [table, key] of TABLES) {
    const remove = db.statement(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE workspace = ? LIMIT ${ROWS_AT_ONCE})`,
    );
    while (Number(remove.run(workspace).changes) > 0) if (performance.now() > until) return false;
  }
  for (const sql of INDIRECT) db.statement(sql).run(workspace);
  caches.clear();
  return true;
}

/** Remaining rows of a workspace by table, without empty tables. */
export function leftOfWorkspace(db: TracesDatabase, workspace: number): Record<string, number> {
  const tables = [...TABLES.map(([table]) => table), 'traces', 'runs', 'datasets', 'sessions'];
  const counts = tables.map((table): [string, number] => [
    table,
    Number(db.statement(`SELECT count(*) AS n FROM ${table} WHERE workspace = ?`).get(workspace)?.n ?? 0),
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
