import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Installs what a deployment's graphs lack. */
export const installPackages: Command = async ({ packageInstaller }, given) => {
  await packageInstaller.installChosen(given instanceof DeploymentElement ? given.config : undefined);
};
