import type { listeners as listenerEndpoints } from '../../../contract/control-plane/listeners.ts';
import type { Handlers } from '../../http/router.ts';
import type { ListenerStore } from '../data/listener-store.ts';

/**
 * Listeners of the caller's workspace (docs/interface/control-plane.md#listeners): they are stored, but do not deploy
 * anything. 404 for a listener of another workspace, 409 for a second one of the same cluster.
 */
export function listenerHandlers(store: ListenerStore): Handlers<typeof listenerEndpoints> {
  return {
    list: async ({ caller, query }) => {
      const resources = await store.list(caller.workspaceId, query);
      return { resources, offset: query.offset + resources.length };
    },
    create: ({ caller, body }) => store.create(caller.workspaceId, body),
    get: ({ caller, params }) => store.get(caller.workspaceId, params.listener_id),
    update: ({ caller, params, body }) => store.update(caller.workspaceId, params.listener_id, body),
    delete: async ({ caller, params }) => {
      await store.delete(caller.workspaceId, params.listener_id);
      return undefined;
    },
  };
}
