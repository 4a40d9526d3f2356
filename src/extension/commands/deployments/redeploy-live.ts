import type { Deploying } from '../../deploy/deploying.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Deploys the live revision of a deployment again, or the newest revision if none is live. */
export const redeployLive = rowCommand(
  [PlatformDeploymentElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, { connection, deployment }) => {
    const { id: deploymentId, name, active_revision_id, latest_revision_id } = deployment;
    const revisionId = active_revision_id ?? latest_revision_id;
    if (revisionId === null) return;
    await (await deploying()).redeploy({ connectionId: connection.id, deploymentId, revisionId, name });
  },
);
