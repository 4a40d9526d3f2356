import type { Config } from '../../deployments/configs.ts';
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
 * `langgraph.json`; without one, the user chooses.
 */
export const installPackages: Command<InstallPackagesParts> = async (
  { deployments, packageInstaller },
  argument,
) => {
  await packageInstaller.installChosen(await findConfig(deployments, argument));
};

async function findConfig({ folders }: Deployments, argument: unknown): Promise<Config | undefined> {
  if (typeof argument === 'string') return folders.find(argument);
  const isRow =
    argument instanceof DeploymentElement ||
    argument instanceof GraphElement ||
    argument instanceof SetupStepElement;
  return isRow ? argument.config : undefined;
}
