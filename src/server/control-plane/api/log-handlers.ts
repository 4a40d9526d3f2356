import type { logs as logEndpoints } from '../../../contract/control-plane/logs.ts';
import type { Handlers } from '../../http/router.ts';
import type { LogStore } from '../data/log-store.ts';
import type { Deployments } from '../deployments/deployments.ts';

/**
 * Lines of builds and of running deployments, page by page (docs/interface/control-plane.md#logs). 404 for a
 * deployment or revision of another workspace.
 */
export function logHandlers(deployments: Deployments, logs: LogStore): Handlers<typeof logEndpoints> {
  return {
    build: async ({ caller, params, body }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const { id: revisionId } = await deployments.requireRevision(deployment, params.revision_id);
      return logs.read({ deploymentId: deployment.id, revisionId, stream: 'build' }, body);
    },
    deployOfRevision: async ({ caller, params, body }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const { id: revisionId } = await deployments.requireRevision(deployment, params.revision_id);
      return logs.read({ deploymentId: deployment.id, revisionId, stream: 'deploy' }, body);
    },
    deploy: async ({ caller, params, body }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      return logs.read({ deploymentId: deployment.id, stream: 'deploy' }, body);
    },
  };
}
