import type { revisionFiles as revisionFileEndpoints } from '../../../contract/control-plane/revision-files.ts';
import type { Handlers } from '../../http/router.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { RevisionSources } from '../revisions/revision-sources.ts';

/**
 * The source files of revisions. Only callers who may deploy code to the deployment can read them: callers in
 * a container get 403 if the deployment is not isolated too.
 */
export function revisionFileHandlers(
  deployments: Deployments,
  sources: RevisionSources,
): Handlers<typeof revisionFileEndpoints> {
  return {
    list: async ({ caller, params, signal }) => {
      const deployment = await deployments.requireChangeable(caller, params.deployment_id);
      return sources.read(await deployments.requireRevision(deployment, params.revision_id), signal);
    },
  };
}
