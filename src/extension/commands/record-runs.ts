import { PlatformDeploymentElement } from '../views/platform-deployments.ts';
import { rowCommand } from './command.ts';

/** Begins to record the runs of a deployment. */
export const recordRuns = switchTo(true);

/** Stops recording them. What was recorded is kept with its threads. */
export const stopRecordingRuns = switchTo(false);

function switchTo(record: boolean) {
  return rowCommand([PlatformDeploymentElement], async ({ deploying }, { connection, deployment }) => {
    const { id: deploymentId, name } = deployment;
    await (await deploying()).setRecording({ connectionId: connection.id, deploymentId, name }, record);
  });
}
