import { DeploymentElement, GraphElement, InstallElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Installs what a deployment's graphs lack, given a row of it or the path of its `langgraph.json`. */
export const installPackages: Command = async ({ deployments, packageInstaller }, given) => {
  const config =
    given instanceof DeploymentElement || given instanceof GraphElement || given instanceof InstallElement
      ? given.config
      : typeof given === 'string'
        ? await deployments.folders.find(given)
        : undefined;
  await packageInstaller.installChosen(config);
};
