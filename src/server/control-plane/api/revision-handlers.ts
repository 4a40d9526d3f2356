import type { revisions as revisionEndpoints } from '../../../contract/control-plane/revisions.ts';
import type { Handlers } from '../../http/router.ts';
import { type RevisionStore, toRevision } from '../data/revision-store.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';

/**
 * Revisions of a deployment, newest first (docs/interface/control-plane.md#revisions). 404 for those of other
 * workspaces, 400 for actions that a revision's status does not allow.
 */
export function revisionHandlers(
  deployments: Deployments,
  store: RevisionStore,
  pipeline: RevisionPipeline,
): Handlers<typeof revisionEndpoints> {
  return {
    list: async ({ caller, params, query }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const rows = await store.list(deployment.id, query);
      return { resources: rows.map(toRevision), offset: query.offset + rows.length };
    },
    get: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      return toRevision(await deployments.requireRevision(deployment, params.revision_id));
    },
    redeploy: ({ caller, params }) => deployments.redeploy(caller, params.deployment_id, params.revision_id),
    interrupt: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      await pipeline.interrupt(await deployments.requireRevision(deployment, params.revision_id));
      return toRevision(await deployments.requireRevision(deployment, params.revision_id));
    },
  };
}
