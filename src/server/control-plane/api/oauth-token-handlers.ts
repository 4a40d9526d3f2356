import type { agentConnections as connectionEndpoints } from '../../../contract/control-plane/agent-connections.ts';
import type { oauthTokens as tokenEndpoints } from '../../../contract/control-plane/oauth-tokens.ts';
import type { Handlers } from '../../http/router.ts';
import type { AgentConnections } from '../oauth/agent-connections.ts';
import { userOf } from '../oauth/sign-ins.ts';
import { type TokenStore, toTokenSummary } from '../oauth/token-store.ts';

/**
 * The stored tokens of a user, or a token of the workspace by its ID. No response contains the token itself
 * (docs/interface/control-plane.md#oauth).
 */
export function tokenHandlers(tokens: TokenStore): Handlers<typeof tokenEndpoints> {
  return {
    list: async ({ caller, query }) => {
      const rows = await tokens.list(caller.workspaceId, userOf(caller, query), query.provider_id);
      return rows.map(toTokenSummary);
    },
    deleteAll: async ({ caller, query }) => ({
      deleted: await tokens.deleteForUser(caller.workspaceId, userOf(caller, query), query.provider_id),
    }),
    exists: async ({ caller, query }) => {
      const rows = await tokens.list(caller.workspaceId, userOf(caller, query), query.provider_id);
      return { has_token: rows.length > 0 };
    },
    slackExists: async ({ caller }) => ({
      has_token: (await tokens.listIdsOfType(caller.workspaceId, 'slack')).length > 0,
    }),
    deleteSlack: async ({ caller }) => {
      const ids = await tokens.listIdsOfType(caller.workspaceId, 'slack');
      for (const id of ids) await tokens.delete(caller.workspaceId, id);
      return { deleted: ids.length };
    },
    update: async ({ caller, params, body }) =>
      toTokenSummary(await tokens.update(caller.workspaceId, params.token_id, body)),
    delete: async ({ caller, params }) => {
      await tokens.delete(caller.workspaceId, params.token_id);
      return undefined;
    },
  };
}

/** Connections: each allows an agent to use a token (docs/interface/control-plane.md#oauth). */
export function connectionHandlers(connections: AgentConnections): Handlers<typeof connectionEndpoints> {
  return {
    list: async ({ caller, params }) => ({
      data: await connections.list(caller.workspaceId, params.agent_id),
    }),
    create: ({ caller, params, body }) =>
      connections.create({
        workspaceId: caller.workspaceId,
        agentId: params.agent_id,
        tokenId: body.oauth_token_id,
        createdBy: userOf(caller, {}),
      }),
    delete: async ({ caller, params }) => {
      await connections.delete(caller.workspaceId, params.agent_id, params.connection_id);
      return undefined;
    },
  };
}
