import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime } from '../database/time.ts';
import { findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** A feedback link; its address contains its ID. */
interface StoredToken {
  readonly id: string;
  readonly key: string;
  /** A time in ISO 8601 format. */
  readonly expiresAt: string;
}

/** Lists the feedback links of a run, newest first. */
export function listTokens(
  { db }: ReaderContext,
  request: {
    workspaceId: string;
    /** The names of the projects that the caller may read; all when undefined. */
    projects?: readonly string[] | undefined;
    runId: string;
    limit: number;
    offset: number;
  },
): StoredToken[] {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const { projects } = request;
  return db
    .all(
      db.build
        .selectFrom('feedback_tokens')
        .select(['id', 'name', 'expires_at'])
        .where('run_id', '=', request.runId)
        .where('workspace', '=', workspace)
        .$if(projects !== undefined, (all) =>
          all.where('session_id', 'in', (query) =>
            query
              .selectFrom('sessions')
              .select('id')
              .where('workspace', '=', workspace)
              .where('name', 'in', [...(projects ?? [])]),
          ),
        )
        .orderBy('created_at', 'desc')
        // The links of one request have the same time.
        .orderBy('id')
        .limit(request.limit)
        .offset(request.offset),
    )
    .map((row) => ({ id: row.id, key: row.name, expiresAt: formatTime(row.expires_at) }));
}
