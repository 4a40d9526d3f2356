import type { Selectable } from 'kysely';
import type { Feedback, FeedbackQuery } from '../../../contract/tracing/feedback.ts';
import { notFound } from '../../http/errors.ts';
import { textIn } from '../../storage/dialect-expressions.ts';
import { parseStoredOrNull } from '../../storage/stored-json.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime, requireTime } from '../database/time.ts';
import type { FeedbackTable } from '../database/traces-schema.ts';
import { findWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** Converts feedback to the wire format. Until its run has arrived, its trace is the one that the sender named. */
export function feedbackOf(row: Selectable<FeedbackTable>): Feedback {
  return {
    id: row.id,
    key: row.name,
    run_id: row.run_id,
    trace_id: row.trace_id ?? row.told_trace_id,
    session_id: row.session_id,
    score: row.score,
    value: parseStoredOrNull(row.value),
    comment: row.comment,
    correction: parseStoredOrNull(row.correction),
    extra: parseStoredOrNull(row.extra),
    feedback_source: parseStoredOrNull(row.source),
    feedback_group_id: row.feedback_group_id,
    comparative_experiment_id: row.comparative_experiment_id,
    created_at: formatTime(row.created_at),
    modified_at: formatTime(row.modified_at),
    is_root: row.run_id !== null && row.run_id === row.trace_id,
  };
}

/** Lists the feedback that matches a query, newest first. @throws HttpError 422 for an invalid time. */
export function listFeedback(
  { db }: ReaderContext,
  request: { workspaceId: string; query: FeedbackQuery },
): Feedback[] {
  const { query } = request;
  const workspace = findWorkspaceKey(db, request.workspaceId);
  if (workspace === undefined) return [];
  let rows = db.build.selectFrom('feedback').selectAll().where('workspace', '=', workspace);
  if (query.run !== undefined) rows = rows.where('run_id', 'in', query.run);
  if (query.key !== undefined) rows = rows.where('name', 'in', query.key);
  if (query.session !== undefined) rows = rows.where('session_id', 'in', query.session);
  if (query.source !== undefined) rows = rows.where(textIn('source', 'type'), 'in', query.source);
  if (query.has_comment !== undefined)
    rows = rows.where('comment', query.has_comment ? 'is not' : 'is', null);
  if (query.has_score !== undefined) rows = rows.where('score', query.has_score ? 'is not' : 'is', null);
  if (query.level === 'run') rows = rows.where('run_id', 'is not', null);
  if (query.level === 'session') rows = rows.where('run_id', 'is', null);
  if (query.user !== undefined) rows = rows.where(textIn('source', 'user_id'), 'in', query.user);
  if (query.comparative_experiment_id !== undefined) {
    rows = rows.where('comparative_experiment_id', '=', query.comparative_experiment_id);
  }
  const after = timeIn(query, 'min_created_at');
  const before = timeIn(query, 'max_created_at');
  if (after !== undefined) rows = rows.where('created_at', '>=', after);
  if (before !== undefined) rows = rows.where('created_at', '<=', before);
  return db
    .all(rows.orderBy('created_at', 'desc').orderBy('key', 'desc').limit(query.limit).offset(query.offset))
    .map(feedbackOf);
}

/** Reads a time of the query. @returns microseconds since 1970 @throws HttpError 422 */
function timeIn(query: FeedbackQuery, field: 'min_created_at' | 'max_created_at'): number | undefined {
  const text = query[field];
  return text === undefined ? undefined : requireTime(text, ['query', field]);
}

/** Reads one feedback. @throws HttpError 404 */
export function getFeedback(
  { db }: ReaderContext,
  request: { workspaceId: string; feedbackId: string },
): Feedback {
  const row = db.get(
    db.build
      .selectFrom('feedback')
      .selectAll()
      .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId))
      .where('id', '=', request.feedbackId),
  );
  if (row === undefined) throw notFound('Feedback', request.feedbackId);
  return feedbackOf(row);
}
