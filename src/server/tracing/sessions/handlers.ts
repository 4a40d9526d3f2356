import type { sessions } from '../../../contract/tracing/sessions.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';

export function sessionHandlers({ write, read, publish }: TracingServices): Handlers<typeof sessions> {
  return {
    create: async ({ body, query, caller }) => {
      const { workspaceId } = caller;
      const created = await write('createSession', { workspaceId, upsert: query.upsert, session: body });
      publish(workspaceId, [{ resource: 'project', action: 'created', id: created.id }]);
      return created;
    },
    list: async ({ query, caller }) => {
      const { sessions, total } = await read('listSessions', { workspaceId: caller.workspaceId, query });
      return new Reply(sessions, { headers: { 'x-pagination-total': String(total) } });
    },
    get: ({ params, caller }) =>
      read('getSession', { workspaceId: caller.workspaceId, sessionId: params.session_id }),
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
  };
}
