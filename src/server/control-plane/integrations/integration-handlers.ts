import type {
  integrations as integrationEndpoints,
  ownIntegrations as ownEndpoints,
} from '../../../contract/control-plane/integrations.ts';
import type { Handlers } from '../../http/router.ts';
import type { GithubIntegrations } from './github-integrations.ts';

export function integrationHandlers(github: GithubIntegrations): Handlers<typeof integrationEndpoints> {
  return {
    list: ({ caller }) => github.list(caller.workspaceId),
    repositories: ({ caller, params }) => github.repositories(caller.workspaceId, params.integration_id),
    forgeList: ({ caller }) => github.list(caller.workspaceId),
    forgeRepositories: ({ caller, params }) => github.repositories(caller.workspaceId, params.integration_id),
  };
}

export function ownIntegrationHandlers(github: GithubIntegrations): Handlers<typeof ownEndpoints> {
  return {
    create: ({ caller, body }) => github.create(caller.workspaceId, body),
    delete: async ({ caller, params }) => {
      await github.delete(caller.workspaceId, params.integration_id);
      return undefined;
    },
  };
}
