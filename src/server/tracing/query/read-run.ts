import { notFound } from '../../http/errors.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';
import { RunJson, runRows } from './run-json.ts';

/** Reads one run as JSON text. @throws HttpError 404, also for a run in a project other than the one named. */
export function readRun(
  context: ReaderContext,
  request: {
    workspaceId: string;
    runId: string;
    sessionId?: string | undefined;
    select?: readonly string[] | undefined;
  },
): string {
  const row = requireRun(context, request.workspaceId, request.runId);
  if (request.sessionId !== undefined && row.session_id !== request.sessionId) {
    throw notFound('Run', request.runId);
  }
  const [json] = new RunJson(context, request.select).convert([row]);
  return json?.text ?? 'null';
}

/** Finds the row of a run. @throws HttpError 404 */
export function requireRun(context: ReaderContext, workspaceId: string, runId: string) {
  const workspace = findWorkspaceKeyOrNone(context.db, workspaceId);
  const row = context.db.get(
    runRows(context).where('runs.id', '=', runId).where('runs.workspace', '=', workspace),
  );
  if (row === undefined) throw notFound('Run', runId);
  return row;
}
