import { sql } from 'kysely';
import type { RunsQuery } from '../../../contract/tracing/runs.ts';
import { invalid } from '../../http/errors.ts';
import { type JsonText, jsonArray } from '../../http/reply.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { IndexLookup } from '../filters/index-lookup.ts';
import { sessionKeys, whereRuns } from '../filters/where-runs.ts';
import { findWorkspaceKey } from '../sessions/workspace-keys.ts';
import { RunJson, type RunRow, runRows } from './run-json.ts';

/**
 * Reads one page of runs; a query for one trace returns all of its runs.
 * @returns the JSON text of the response's `runs`, and the cursor for the next page.
 * @throws HttpError 422 for an invalid query.
 */
export function queryRuns(
  context: ReaderContext,
  request: {
    workspaceId: string;
    query: RunsQuery;
    /** Whether to leave out feedback, for people who must not see it. */
    withoutFeedback?: boolean;
  },
): { runs: string; next: string | null } {
  const { query } = request;
  const workspace = findWorkspaceKey(context.db, request.workspaceId);
  requireScope(query);
  if (workspace === undefined) return { runs: '[]', next: null };
  const cursor = typeof query.cursor === 'string' ? readCursor(query.cursor) : undefined;
  const withFeedback = request.withoutFeedback !== true;
  const json = new RunJson(context, query.select ?? undefined, withFeedback ? [] : ['feedback_stats']);
  if (typeof query.trace === 'string') {
    const runs = wholeTrace(context, orderedKeys(context, workspace, query, { cursor, withFeedback }), json);
    return { runs: jsonArray(runs).text, next: null };
  }
  const { limit } = query;
  const page = latestPage(context, workspace, query, { cursor, limit, withFeedback });
  const hasMore = page.length > limit;
  if (hasMore) page.pop();
  const last = page.at(-1);
  return {
    runs: jsonArray(json.convert(page)).text,
    next: hasMore && last !== undefined ? writeCursor(last) : null,
  };
}

/** How many of the most recently stored runs are tried first when many match. */
const NEWEST_TRIED = [1000, 10_000];

/**
 * Reads a page, and one more run if there is a next page. The latest runs are usually among those that were
 * stored most recently, so these are tried first.
 */
function latestPage(
  context: ReaderContext,
  workspace: number,
  query: RunsQuery,
  options: { cursor: Cursor | undefined; limit: number; withFeedback: boolean },
): RunRow[] {
  if (query.order === 'desc' && hasSome(query.session)) {
    for (const newest of NEWEST_TRIED) {
      const lookup = new IndexLookup(newest);
      const page = fetchPage(context, workspace, query, { ...options, lookup });
      const { oldest } = lookup;
      if (oldest === undefined || isLatest(context, workspace, query, { ...options, page, oldest }))
        return page;
    }
  }
  return fetchPage(context, workspace, query, { ...options, lookup: new IndexLookup() });
}

/**
 * If more rows were read at once, they would outlive V8's young generation, and garbage collection would take most of
 * the time.
 */
const ROWS_AT_ONCE = 500;

/** Returns all runs of a trace as text, in order; their rows are read in small groups. */
function wholeTrace(context: ReaderContext, ordered: OrderedKeys, json: RunJson): JsonText[] {
  const keys = context.db.all(ordered).map(({ key }) => key);
  const texts: JsonText[] = [];
  for (let at = 0; at < keys.length; at += ROWS_AT_ONCE) {
    const some = keys.slice(at, at + ROWS_AT_ONCE);
    const places = new Map(some.map((key, place) => [key, place]));
    const rows = context.db.all(runRows(context).where(isAmong('runs.key', some)));
    rows.sort((a, b) => (places.get(a.key) ?? 0) - (places.get(b.key) ?? 0));
    texts.push(...json.convert(rows));
  }
  return texts;
}

type OrderedKeys = ReturnType<typeof orderedKeys>;

/** A query for the keys of the runs after the cursor, in the order in which they are returned. */
function orderedKeys(
  { db }: ReaderContext,
  workspace: number,
  query: RunsQuery,
  { cursor, ...how }: { cursor: Cursor | undefined; lookup?: IndexLookup; withFeedback: boolean },
) {
  let keys = whereRuns(db, workspace, query, how).select('runs.key');
  if (cursor !== undefined) {
    const comparison = sql.raw(query.order === 'desc' ? '<' : '>');
    keys = keys.where(
      sql<boolean>`(runs.start_time, runs.key) ${comparison} (${cursor.startTime}, ${cursor.key})`,
    );
  }
  return keys.orderBy('runs.start_time', query.order).orderBy('runs.key', query.order);
}

function fetchPage(
  context: ReaderContext,
  workspace: number,
  query: RunsQuery,
  options: { cursor: Cursor | undefined; limit: number; lookup: IndexLookup; withFeedback: boolean },
): RunRow[] {
  // Data that is stored in other rows is read only for the runs on the page.
  const page = orderedKeys(context, workspace, query, options).limit(options.limit + 1);
  return context.db.all(
    runRows(context)
      .where('runs.key', 'in', page)
      .orderBy('runs.start_time', query.order)
      .orderBy('runs.key', query.order),
  );
}

/**
 * Whether a page with the runs that were stored last is also the page with the runs that began last: it must be full,
 * and no run that was stored earlier may have begun after the last one on the page.
 */
function isLatest(
  { db }: ReaderContext,
  workspace: number,
  query: RunsQuery,
  options: { cursor: Cursor | undefined; limit: number; page: readonly RunRow[]; oldest: number },
): boolean {
  const { cursor, limit, page, oldest } = options;
  const last = page.at(-1);
  if (last === undefined || page.length <= limit) return false;
  const later = db.get(
    db.build
      .selectFrom('runs')
      .select('key')
      .where(isAmong('session', sessionKeys(db, workspace, query.session ?? [])))
      .where('start_time', '>=', last.start_time)
      .where('start_time', '<=', cursor?.startTime ?? Number.MAX_SAFE_INTEGER)
      .where('key', '<', oldest)
      .limit(1),
  );
  return later === undefined;
}

/** Refuses a query without any of these fields, because it would read all runs. */
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
    // The error is thrown below.
  }
  throw invalid(['body', 'cursor'], 'Use the cursor returned with the previous page.');
}
