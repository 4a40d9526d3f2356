import type { Deploying } from '../../deploy/deploying.ts';
import { RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Deploys a revision again, with the same source and variables. */
export const redeploy = rowCommand(
  [RevisionElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, { parent, revision }) => {
    const { connection, deployment } = parent;
    const { id: deploymentId, name } = deployment;
    const revisionId = revision.id;
    await (await deploying()).redeploy({ connectionId: connection.id, deploymentId, revisionId, name });
  },
);
