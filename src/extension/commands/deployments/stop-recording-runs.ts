import type { Deploying } from '../../deploy/deploying.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Stops recording the runs of a deployment. What was recorded is kept with its threads. */
export const stopRecordingRuns = rowCommand(
  [PlatformDeploymentElement],
  async ({ deploying }: { readonly deploying: () => Promise<Deploying> }, { connection, deployment }) => {
    const { id: deploymentId, name } = deployment;
    await (await deploying()).setRecording({ connectionId: connection.id, deploymentId, name }, false);
  },
);
