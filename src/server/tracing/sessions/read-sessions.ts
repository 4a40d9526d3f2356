import type { Selectable } from 'kysely';
import type { Session, SessionsQuery } from '../../../contract/tracing/sessions.ts';
import { notFound } from '../../http/errors.ts';
import { containsText } from '../../storage/contains-text.ts';
import { orderNullsLowest } from '../../storage/dialect-expressions.ts';
import { parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime, formatTimeOrNull } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { SessionTable } from '../database/traces-schema.ts';
import { metadataContains, sessionFilter } from './session-filter.ts';
import { findWorkspaceKey, findWorkspaceKeyOrNone } from './workspace-keys.ts';

/** Converts a project to the form of the interface. */
export function sessionOf(row: Selectable<SessionTable>, workspaceId: string): Session {
  return {
    id: row.id,
    tenant_id: workspaceId,
    name: row.name,
    description: row.description,
    start_time: formatTime(row.start_time),
    end_time: formatTimeOrNull(row.end_time),
    extra: parseStoredOrNull(row.extra),
    default_dataset_id: row.default_dataset_id,
    reference_dataset_id: row.reference_dataset_id,
    trace_tier: row.trace_tier,
    last_run_start_time: formatTimeOrNull(row.last_run_start_time),
    last_run_start_time_live: formatTimeOrNull(row.last_run_start_time),
  };
}

/** Reads one page of the projects that match a query, and the number of all of them. */
export function listSessions(
  { db }: ReaderContext,
  request: { workspaceId: string; query: SessionsQuery },
): { sessions: Session[]; total: number } {
  const { query } = request;
  const workspace = findWorkspaceKey(db, request.workspaceId);
  if (workspace === undefined) return { sessions: [], total: 0 };
  let rows = db.build.selectFrom('sessions').where('workspace', '=', workspace);
  if (query.id !== undefined) rows = rows.where('id', 'in', query.id);
  if (query.name !== undefined) rows = rows.where('name', '=', query.name);
  if (query.name_contains !== undefined) rows = rows.where(containsText('name', query.name_contains));
  if (query.reference_free === true) rows = rows.where('reference_dataset_id', 'is', null);
  if (query.reference_free === false) rows = rows.where('reference_dataset_id', 'is not', null);
  if (query.reference_dataset !== undefined)
    rows = rows.where('reference_dataset_id', 'in', query.reference_dataset);
  if (query.metadata !== undefined) rows = rows.where(metadataContains(query.metadata));
  if (query.filter) rows = rows.where(sessionFilter(query.filter));
  const total = db.get(rows.select((on) => on.fn.countAll<number>().as('count')))?.count ?? 0;
  const direction = query.sort_by_desc ? 'desc' : 'asc';
  const page = db.all(
    rows
      .selectAll()
      .orderBy(query.sort_by, orderNullsLowest(direction))
      .orderBy('key', direction)
      .limit(query.limit)
      .offset(query.offset),
  );
  return { sessions: page.map((row) => sessionOf(row, request.workspaceId)), total };
}

/** Reads a project. @throws HttpError 404 */
export function getSession(
  { db }: ReaderContext,
  request: { workspaceId: string; sessionId: string },
): Session {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  return sessionOf(requireSessionRow(db, workspace, request.sessionId), request.workspaceId);
}

/** Finds the row of a project. @throws HttpError 404 */
export function requireSessionRow(
  db: TracesDatabase,
  workspace: number,
  sessionId: string,
): Selectable<SessionTable> {
  const row = db.get(
    db.build
      .selectFrom('sessions')
      .selectAll()
      .where('workspace', '=', workspace)
      .where('id', '=', sessionId),
  );
  if (row === undefined) throw notFound('Project', sessionId);
  return row;
}
