import * as vscode from 'vscode';
import type { Deploying } from '../../deploy/deploying.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { type Command, refuseLostRow } from '../command.ts';

/** Repeats the last deployment; asks what to deploy only if there was none. */
export const deployAgain: Command<{ readonly deploying: () => Promise<Deploying> }> = async (
  { deploying },
  ...args
) => {
  refuseLostRow(args);
  const [argument] = args;
  if (argument instanceof PlatformDeploymentElement) {
    await (await deploying()).deployAgainTo(argument.connection.id, argument.deployment.name);
    return;
  }
  const uri = argument instanceof DeploymentElement ? argument.config.uri : argument;
  await (await deploying()).deployAgain(uri instanceof vscode.Uri ? uri.fsPath : undefined);
};
