import { sql } from 'kysely';
import type { RunsFilter } from '../../../contract/tracing/runs.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { Condition } from '../database/condition.ts';
import { requireTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { compileFilter } from './compile-filter.ts';
import type { FilterScope } from './filter-scope.ts';
import { IndexLookup } from './index-lookup.ts';
import { wordsCondition } from './search-words.ts';

/**
 * Selects the rows of a workspace's runs that match a query.
 * @param withFeedback whether the query's filters may use feedback. @param lookup tells the caller how runs were found.
 * @throws HttpError 422 for an invalid filter, search text or time.
 */
export function whereRuns(
  db: TracesDatabase,
  workspace: number,
  query: RunsFilter,
  { lookup = new IndexLookup(), withFeedback = true }: { lookup?: IndexLookup; withFeedback?: boolean } = {},
) {
  const sessions = query.session ? sessionKeys(db, workspace, query.session) : undefined;
  let rows = runsOf(db, workspace);
  const scope: FilterScope = { db, workspace, sessions, lookup, withFeedback };
  if (query.query) rows = rows.where(wordsCondition(query.query, 'runs', scope));
  for (const name of ['filter', 'search_filter'] as const) {
    const text = query[name];
    if (text) rows = rows.where(compileFilter(text, 'runs', scope, name));
  }
  if (query.trace_filter) rows = rows.where(ofRoot(query.trace_filter, scope));
  if (query.tree_filter) rows = rows.where(ofTree(query.tree_filter, scope));
  if (sessions) {
    // The unary plus keeps SQLite from scanning the whole project when the runs to check are known.
    const session = lookup.isNarrow ? sql`+runs.session` : sql.ref('runs.session');
    rows = rows.where(isAmong(session, sessions));
  }
  if (query.trace) rows = rows.where('runs.trace', '=', traceKey(db, workspace, query.trace));
  return whereFields(rows, query);
}

function runsOf(db: TracesDatabase, workspace: number) {
  return db.build.selectFrom('runs').where('runs.workspace', '=', workspace);
}

/** Selects only rows whose own fields match a query. @throws HttpError 422 for an invalid time */
function whereFields(found: ReturnType<typeof runsOf>, query: RunsFilter) {
  let rows = found;
  if (query.id) rows = rows.where(isAmong('runs.id', query.id));
  if (query.parent_run) rows = rows.where('runs.parent_id', '=', query.parent_run);
  if (query.reference_example)
    rows = rows.where(isAmong('runs.reference_example_id', query.reference_example));
  if (query.run_type) rows = rows.where('runs.run_type', '=', query.run_type);
  if (typeof query.error === 'boolean') rows = rows.where('runs.status', query.error ? '=' : '!=', 'error');
  if (query.is_root === true || query.execution_order === 1) rows = rows.where('runs.parent_id', 'is', null);
  if (query.is_root === false) rows = rows.where('runs.parent_id', 'is not', null);
  const start = bound(query.start_time, 'start_time');
  if (start !== undefined) rows = rows.where('runs.start_time', '>=', start);
  const end = bound(query.end_time, 'end_time');
  if (end !== undefined) rows = rows.where('runs.start_time', '<=', end);
  return rows;
}

/** The condition for runs in a trace whose root matches a filter. */
function ofRoot(filter: string, scope: FilterScope): Condition {
  const inner = new IndexLookup();
  const condition = compileFilter(filter, 'root', { ...scope, lookup: inner }, 'trace_filter');
  return inner.isNarrow
    ? sql<boolean>`runs.trace in (select root.trace from runs as root where root.parent_id is null and ${condition})`
    : sql<boolean>`exists (select 1 from runs as root
        where root.trace = runs.trace and root.parent_id is null and ${condition})`;
}

/** The condition for runs in a trace with any run that matches a filter. */
function ofTree(filter: string, scope: FilterScope): Condition {
  const inner = new IndexLookup();
  const condition = compileFilter(filter, 'other', { ...scope, lookup: inner }, 'tree_filter');
  return inner.isNarrow
    ? sql<boolean>`runs.trace in (select other.trace from runs as other where ${condition})`
    : sql<boolean>`exists (select 1 from runs as other where other.trace = runs.trace and ${condition})`;
}

/** Finds the keys of the projects with these IDs; unknown IDs are left out. */
export function sessionKeys(db: TracesDatabase, workspace: number, ids: readonly string[]): number[] {
  return db
    .all(
      db.build
        .selectFrom('sessions')
        .select('key')
        .where('workspace', '=', workspace)
        .where(isAmong('id', ids)),
    )
    .map((row) => row.key);
}

/** Finds the key of a trace; -1, which no trace has, for an unknown ID. */
function traceKey(db: TracesDatabase, workspace: number, id: string): number {
  const row = db.statement('SELECT key FROM traces WHERE id = ? AND workspace = ?').get(id, workspace);
  return row === undefined ? -1 : Number(row.key);
}

function bound(value: string | number | null | undefined, field: string): number | undefined {
  return value === null || value === undefined ? undefined : requireTime(value, ['body', field]);
}
