import type { workspaceSecrets } from '../../../contract/control-plane/workspace-secrets.ts';
import type { Handlers } from '../../http/router.ts';
import type { WorkspaceSecrets } from '../secrets/workspace-secrets.ts';

/** Secrets of the caller's workspace, as langsmith's client sets them; listing returns their names. */
export function workspaceSecretHandlers(secrets: WorkspaceSecrets): Handlers<typeof workspaceSecrets> {
  return {
    list: ({ caller }) => secrets.list(caller.workspaceId),
    set: async ({ caller, body }) => {
      await secrets.set(caller.workspaceId, body);
      return { message: 'Secrets set' };
    },
    put: async ({ caller, params: { key }, body: { value } }) => {
      // Without a value, the secret is unchanged.
      if (value !== null && value !== undefined) await secrets.set(caller.workspaceId, [{ key, value }]);
      return secrets.get(caller.workspaceId, key);
    },
    delete: async ({ caller, params: { key } }) => {
      await secrets.set(caller.workspaceId, [{ key, value: null }]);
      return undefined;
    },
  };
}
