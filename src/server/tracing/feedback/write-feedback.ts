import type { Feedback, FeedbackCreate, FeedbackUpdate } from '../../../contract/tracing/feedback.ts';
import { notFound } from '../../http/errors.ts';
import { jsonOrNull } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros } from '../database/time.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import { feedbackOf } from './read-feedback.ts';
import { storeFeedback } from './store-feedback.ts';

/** The names of the projects to which the sender may write; all when undefined. */
type Projects = readonly string[] | undefined;

/** Stores feedback on a run, which may arrive later; sending it again under the same ID changes nothing. */
export function createFeedback(
  context: WriterContext,
  request: { workspaceId: string; projects?: Projects; feedback: FeedbackCreate },
): Feedback {
  const workspace = ensureWorkspaceKey(context.db, context.caches, request.workspaceId);
  const id = storeFeedback(context, workspace, request.feedback, request.projects);
  return feedbackOf(requireFeedback(context, workspace, id, request.projects));
}

/** Changes the given fields. @throws HttpError 404 */
export function updateFeedback(
  context: WriterContext,
  request: { workspaceId: string; projects?: Projects; feedbackId: string; changes: FeedbackUpdate },
): Feedback {
  const { db } = context;
  const { changes } = request;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const row = requireFeedback(context, workspace, request.feedbackId, request.projects);
  db.run(
    db.build
      .updateTable('feedback')
      .set({
        ...(changes.score === undefined
          ? {}
          : { score: changes.score === null ? null : Number(changes.score) }),
        ...(changes.value === undefined ? {} : { value: jsonOrNull(changes.value) }),
        ...(changes.comment === undefined ? {} : { comment: changes.comment }),
        ...(changes.correction === undefined ? {} : { correction: jsonOrNull(changes.correction) }),
        modified_at: nowMicros(),
      })
      .where('key', '=', row.key),
  );
  return feedbackOf(requireFeedback(context, workspace, request.feedbackId, request.projects));
}

/** Deletes feedback. @throws HttpError 404 */
export function deleteFeedback(
  context: WriterContext,
  request: { workspaceId: string; projects?: Projects; feedbackId: string },
): void {
  const { db } = context;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const row = requireFeedback(context, workspace, request.feedbackId, request.projects);
  db.run(db.build.deleteFrom('feedback').where('key', '=', row.key));
}

/** Finds the row of feedback. @throws HttpError 404, also for feedback in a project that may not be written to. */
function requireFeedback({ db }: WriterContext, workspace: number, id: string, projects: Projects) {
  const row = db.get(
    db.build.selectFrom('feedback').selectAll().where('workspace', '=', workspace).where('id', '=', id),
  );
  const writable = new WritableProjects(db, workspace, projects);
  const isWritable = writable.areAll || (row?.session_id != null && writable.hasId(row.session_id));
  if (row === undefined || !isWritable) throw notFound('Feedback', id);
  return row;
}
