import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Shows what a deployment's graphs print, and goes on showing it as it comes. */
export const showDeploymentLog: Command = async ({ deployments, deploymentLogs }, given) => {
  const config = given instanceof DeploymentElement ? given.config : undefined;
  deploymentLogs.show(await deployments.workspace.open(config));
};
