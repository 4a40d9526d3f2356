import type { Deployments } from '../../deployments/deployments.ts';
import type { PackageInstaller } from '../../projects/package-installer.ts';
import { DeploymentElement, GraphElement } from '../../views/deployments.ts';
import { SetupStepElement } from '../../views/setup-steps.ts';
import type { Command } from '../command.ts';

interface InstallPackagesParts {
  readonly deployments: Deployments;
  readonly packageInstaller: PackageInstaller;
}

/**
 * Installs the packages that a deployment's graphs lack. The argument is a row or the path of a
 * `langgraph.json`.
 */
export const installPackages: Command<InstallPackagesParts> = async (
  { deployments, packageInstaller },
  argument,
) => {
  const config =
    argument instanceof DeploymentElement ||
    argument instanceof GraphElement ||
    argument instanceof SetupStepElement
      ? argument.config
      : typeof argument === 'string'
        ? await deployments.folders.find(argument)
        : undefined;
  await packageInstaller.installChosen(config);
};
