import { sql } from 'kysely';
import type { RunsQuery } from '../../../contract/tracing/runs.ts';
import { invalid } from '../../http/errors.ts';
import { jsonArray } from '../../http/reply.ts';
import type { ReaderContext } from '../read-operations.ts';
import { findWorkspace } from '../sessions/find-session.ts';
import type { FilterScope } from './compile-filter.ts';
import { RunJson, type RunRow, runRows } from './run-json.ts';
import { whereRuns } from './where-runs.ts';

/** One page of runs. @returns JSON text of the answer's `runs`, and the cursor of what follows. */
export function queryRuns(
  context: ReaderContext,
  request: { workspaceId: string; query: RunsQuery },
): { runs: string; next: string | null } {
  const { query } = request;
  const workspace = findWorkspace(context.db, request.workspaceId);
  requireScope(query);
  if (workspace === undefined) return { runs: '[]', next: null };
  const cursor = typeof query.cursor === 'string' ? readCursor(query.cursor) : undefined;
  // A trace is asked for as a whole.
  const limit = typeof query.trace === 'string' ? Number.POSITIVE_INFINITY : query.limit;
  const newest = { truncated: false, allowed: true };
  let page = fetchPage(context, workspace, query, { cursor, limit, newest });
  if (newest.truncated && page.length <= limit) {
    // Among the newest matches of a frequent word there were too few: now all of them.
    page = fetchPage(context, workspace, query, {
      cursor,
      limit,
      newest: { truncated: false, allowed: false },
    });
  }
  const hasMore = page.length > limit;
  if (hasMore) page.pop();
  const json = new RunJson(context, query.select ?? undefined);
  const last = page.at(-1);
  return {
    runs: jsonArray(json.many(page)).text,
    next: hasMore && last !== undefined ? writeCursor(last) : null,
  };
}

function fetchPage(
  context: ReaderContext,
  workspace: number,
  query: RunsQuery,
  options: { cursor: Cursor | undefined; limit: number; newest: FilterScope['newest'] },
): RunRow[] {
  const { cursor, limit, newest } = options;
  let rows = whereRuns(context.db, runRows(context), workspace, query, newest);
  if (cursor !== undefined) {
    const comparison = sql.raw(query.order === 'desc' ? '<' : '>');
    rows = rows.where(
      sql<boolean>`(runs.start_time, runs.key) ${comparison} (${cursor.startTime}, ${cursor.key})`,
    );
  }
  return context.db.all(
    rows
      .orderBy('runs.start_time', query.order)
      .orderBy('runs.key', query.order)
      .limit(Number.isFinite(limit) ? limit + 1 : -1),
  );
}

/** Without any of these a query would read everything there is. */
function requireScope(query: RunsQuery): void {
  if (
    hasSome(query.session) ||
    hasSome(query.id) ||
    hasSome(query.reference_example) ||
    typeof query.trace === 'string' ||
    typeof query.parent_run === 'string'
  ) {
    return;
  }
  throw invalid(
    ['body'],
    "At least one of 'session', 'id', 'parent_run', 'trace' or 'reference_example' must be specified.",
  );
}

function hasSome(values: readonly unknown[] | null | undefined): boolean {
  return values !== null && values !== undefined && values.length > 0;
}

function writeCursor(row: RunRow): string {
  return Buffer.from(JSON.stringify([row.start_time, row.key])).toString('base64url');
}

interface Cursor {
  readonly startTime: number;
  readonly key: number;
}

function readCursor(cursor: string): Cursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parsed) && typeof parsed[0] === 'number' && typeof parsed[1] === 'number') {
      return { startTime: parsed[0], key: parsed[1] };
    }
  } catch {
    // Said below.
  }
  throw invalid(['body', 'cursor'], 'Use the cursor that the page before came with.');
}
