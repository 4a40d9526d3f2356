import type { Deploying } from '../../deploy/deploying.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Begins to record the runs of a deployment. */
export const recordRuns = rowCommand(
  [PlatformDeploymentElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, { connection, deployment }) => {
    const { id: deploymentId, name } = deployment;
    await (await deploying()).setRecording({ connectionId: connection.id, deploymentId, name }, true);
  },
);
