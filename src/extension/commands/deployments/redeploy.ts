import type { Deploying } from '../../deploy/deploying.ts';
import { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Deploys a revision once more, the newest one of a deployment: the same source and variables. */
export const redeploy = rowCommand(
  [PlatformDeploymentElement, RevisionElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, row) => {
    const element = row instanceof RevisionElement ? row.parent : row;
    const { connection, deployment } = element;
    const revisionId = row instanceof RevisionElement ? row.revision.id : deployment.latest_revision_id;
    if (revisionId === null) return;
    const { id: deploymentId, name } = deployment;
    await (await deploying()).redeploy({ connectionId: connection.id, deploymentId, revisionId, name });
  },
);
