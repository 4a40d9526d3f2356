import type {
  integrations as integrationEndpoints,
  ownIntegrations as ownEndpoints,
} from '../../../contract/control-plane/integrations.ts';
import type { Handlers } from '../../http/router.ts';
import type { GithubIntegrations } from '../integrations/github-integrations.ts';

/**
 * Code hosts and their repositories as public clients list them (docs/interface/control-plane.md#integrations);
 * tokens are never returned. 404 for an integration of another workspace, 502 when the host does not answer.
 */
export function integrationHandlers(github: GithubIntegrations): Handlers<typeof integrationEndpoints> {
  return {
    list: ({ caller }) => github.list(caller.workspaceId),
    repositories: ({ caller, params }) => github.listRepositories(caller.workspaceId, params.integration_id),
    forgeList: ({ caller }) => github.list(caller.workspaceId),
    forgeRepositories: ({ caller, params }) =>
      github.listRepositories(caller.workspaceId, params.integration_id),
  };
}

/**
 * Creates and deletes integrations with a token (Agent Harbor only), because there is no app to install for this
 * server. 400 for a token that the host does not accept.
 */
export function ownIntegrationHandlers(github: GithubIntegrations): Handlers<typeof ownEndpoints> {
  return {
    create: ({ caller, body }) => github.create(caller.workspaceId, body),
    delete: async ({ caller, params }) => {
      await github.delete(caller.workspaceId, params.integration_id);
      return undefined;
    },
  };
}
