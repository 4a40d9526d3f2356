import type { deployments as deploymentEndpoints } from '../../contract/control-plane.ts';
import { HttpError } from '../http/errors.ts';
import type { Handlers } from '../http/router.ts';
import { type DeploymentStore, toDeployment } from './deployment-store.ts';
import type { LiveDeployments } from './live-deployments.ts';

export function deploymentHandlers(
  store: DeploymentStore,
  live: LiveDeployments,
): Handlers<typeof deploymentEndpoints> {
  return {
    list: async ({ caller, query }) => {
      const rows = await store.list(caller.workspaceId, query);
      return {
        resources: rows.map((row) => toDeployment(row, live.url(row.id))),
        offset: query.offset + rows.length,
      };
    },
    get: async ({ caller, params }) => {
      const row = await store.find(caller.workspaceId, params.deployment_id);
      // The public control plane's own words (public facts, part A).
      if (row === undefined) throw new HttpError(404, `Deployment ID ${params.deployment_id} not found.`);
      return toDeployment(row, live.url(row.id));
    },
  };
}
