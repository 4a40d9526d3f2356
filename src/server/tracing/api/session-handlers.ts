import type { sessions } from '../../../contract/tracing/sessions.ts';
import { type Caller, requester } from '../../http/caller.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services/services.ts';
import { withStats } from '../services/session-stats.ts';

/**
 * Handlers for projects, which the public interface calls sessions (docs/interface/tracing.md#projects). Deleting one
 * is a purge, answered with 202. 404 for projects of other workspaces, 409 for an existing name.
 */
export function sessionHandlers(services: TracingServices): Handlers<typeof sessions> {
  const { write, read, publish, purgeSessions } = services;

  async function remove(caller: Caller, sessionIds: readonly string[]) {
    const { workspaceId } = caller;
    const { jobIds } = await purgeSessions({ workspaceId, by: requester(caller), sessionIds });
    publish(
      workspaceId,
      sessionIds.map((id) => ({ resource: 'project', action: 'deleted', id })),
    );
    return { message: 'Project deletes queued', job_ids: jobIds };
  }

  return {
    create: async ({ body, query, caller }) => {
      const { workspaceId } = caller;
      const created = await write('createSession', { workspaceId, upsert: query.upsert, session: body });
      publish(workspaceId, [{ resource: 'project', action: 'created', id: created.id }]);
      return created;
    },
    list: async ({ query, caller }) => {
      const { sessions, total } = await read('listSessions', { workspaceId: caller.workspaceId, query });
      const shown = query.include_stats
        ? await Promise.all(
            sessions.map((session) =>
              withStats(services, caller.workspaceId, session, query.stats_start_time),
            ),
          )
        : sessions;
      return new Reply(shown, { headers: { 'x-pagination-total': String(total) } });
    },
    get: async ({ params, query, caller }) => {
      const { workspaceId } = caller;
      const session = await read('getSession', { workspaceId, sessionId: params.session_id });
      return query.include_stats
        ? withStats(services, workspaceId, session, query.stats_start_time)
        : session;
    },
    update: async ({ params, body, caller }) => {
      const { workspaceId } = caller;
      const updated = await write('updateSession', {
        workspaceId,
        sessionId: params.session_id,
        changes: body,
      });
      publish(workspaceId, [{ resource: 'project', action: 'updated', id: updated.id }]);
      return updated;
    },
    delete: ({ params, caller }) => remove(caller, [params.session_id]),
    deleteMany: ({ query, caller }) => remove(caller, query.session_ids),
  };
}
