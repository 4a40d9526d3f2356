import { v4 as uuidv4 } from 'uuid';
import type { FeedbackCreate, FeedbackSubmission } from '../../../contract/tracing/feedback.ts';
import { HttpError, notFound } from '../../http/errors.ts';
import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros } from '../database/time.ts';
import { ensureWorkspaceKey } from '../sessions/workspace-keys.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';
import { findRun, requireWritableSession, storeFeedback } from './store-feedback.ts';

/** A feedback link to create. */
export interface NewToken {
  readonly runId: string;
  readonly key: string;
  readonly config?: object | undefined;
  /** A time in microseconds since 1970. */
  readonly expiresAt: number;
}

/** A feedback link that was created. */
export interface CreatedToken extends Pick<NewToken, 'key' | 'expiresAt'> {
  /** The token, a random credential. */
  readonly id: string;
}

/**
 * Creates feedback links.
 * @returns the links in the order of the request.
 * @throws HttpError 403 for a run in a project that the sender may not write to.
 */
export function createTokens(
  context: WriterContext,
  request: { workspaceId: string; projects?: readonly string[] | undefined; tokens: readonly NewToken[] },
): CreatedToken[] {
  const { db } = context;
  const workspace = ensureWorkspaceKey(db, context.caches, request.workspaceId);
  const { projects } = request;
  return request.tokens.map((token) => {
    const id = uuidv4();
    const known = projects && findRun(context, workspace, token.runId);
    db.run(
      db.build.insertInto('feedback_tokens').values({
        id,
        workspace,
        run_id: token.runId,
        trace_id: null,
        // A link may be used to write only where its creator may.
        session_id:
          projects === undefined ? null : requireWritableSession(context, workspace, { projects, known }),
        name: token.key,
        config: token.config === undefined ? null : JSON.stringify(token.config),
        created_at: nowMicros(),
        expires_at: token.expiresAt,
      }),
    );
    return { id, key: token.key, expiresAt: token.expiresAt };
  });
}

/**
 * Records feedback given by a link; a link can be used any number of times until it expires.
 * @throws HttpError 404 for an unknown token and for one whose project was deleted, 403 for an expired one, and for a
 * run in a project to which the link does not apply.
 */
export function submitByToken(
  context: WriterContext,
  request: { token: string; submission: FeedbackSubmission },
): { feedbackId: string; workspaceId: string; change: TraceChange } {
  const { db } = context;
  const token = db.get(
    db.build
      .selectFrom('feedback_tokens')
      .innerJoin('workspaces', 'workspaces.key', 'feedback_tokens.workspace')
      .selectAll('feedback_tokens')
      .select('workspaces.id as workspace_id')
      .where('feedback_tokens.id', '=', request.token),
  );
  if (token === undefined) throw notFound('Feedback link', request.token);
  if (token.expires_at < nowMicros()) throw new HttpError(403, 'This feedback link has expired.');
  const { submission } = request;
  const given: FeedbackCreate = {
    key: token.name,
    run_id: token.run_id,
    trace_id: token.trace_id,
    score: submission.score,
    value: submission.value,
    comment: submission.comment,
    correction: submission.correction,
    extend_trace_retention: submission.extend_trace_retention,
    // The link is not stored with the feedback, because readers of the feedback could use it.
    feedback_source: { type: 'api', metadata: submission.metadata ?? {} },
    ...(token.config === null ? {} : { feedback_config: JSON.parse(token.config) }),
  };
  const projects = projectsOf(context, token.workspace, token.session_id);
  const feedbackId = storeFeedback(context, token.workspace, given, projects);
  return {
    feedbackId,
    workspaceId: token.workspace_id,
    change: { resource: 'feedback', action: 'created', id: feedbackId },
  };
}

/**
 * The projects to which a link may write: all, unless its creator could not write to all. @throws HttpError 404 for a
 * deleted project, whose name would otherwise create it again.
 */
function projectsOf(
  { db }: WriterContext,
  workspace: number,
  sessionId: string | null,
): string[] | undefined {
  if (sessionId === null) return undefined;
  const name = new WritableProjects(db, workspace, undefined).findNameById(sessionId);
  if (name === undefined) throw new HttpError(404, 'The project of this feedback link was deleted.');
  return [name];
}
