import { sql } from 'kysely';
import type { RunsQuery } from '../../../contract/tracing/runs.ts';
import { invalid } from '../../http/errors.ts';
import { jsonArray } from '../../http/reply.ts';
import type { ReaderContext } from '../read-operations.ts';
import { findWorkspace } from '../sessions/find-session.ts';
import { RunJson, type RunRow, runRows } from './run-json.ts';
import { whereRuns } from './where-runs.ts';

/** One page of runs. @returns JSON text of the answer's `runs`, and the cursor of what follows. */
export function queryRuns(
  context: ReaderContext,
  request: { workspaceId: string; query: RunsQuery },
): { runs: string; next: string | null } {
  const { db } = context;
  const { query } = request;
  const workspace = findWorkspace(db, request.workspaceId);
  requireScope(query);
  if (workspace === undefined) return { runs: '[]', next: null };
  const direction = query.order;
  let rows = whereRuns(db, runRows(context), workspace, query);
  if (query.cursor !== null && query.cursor !== undefined) {
    const after = readCursor(query.cursor);
    const comparison = sql.raw(direction === 'desc' ? '<' : '>');
    rows = rows.where(
      sql<boolean>`(runs.start_time, runs.key) ${comparison} (${after.startTime}, ${after.key})`,
    );
  }
  // A trace is asked for as a whole.
  const limit = query.trace !== null && query.trace !== undefined && query.limit === 100 ? -1 : query.limit;
  const page: RunRow[] = db.all(
    rows
      .orderBy('runs.start_time', direction)
      .orderBy('runs.key', direction)
      .limit(limit < 0 ? -1 : limit + 1),
  );
  const hasMore = limit >= 0 && page.length > limit;
  if (hasMore) page.pop();
  const json = new RunJson(context, query.select ?? undefined);
  const last = page.at(-1);
  return {
    runs: jsonArray(json.many(page)).text,
    next: hasMore && last !== undefined ? writeCursor(last) : null,
  };
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

function readCursor(cursor: string): { startTime: number; key: number } {
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
