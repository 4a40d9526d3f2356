import * as vscode from 'vscode';
import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Copies the address of a deployment's agent server. */
export const copyUrl: Command = async ({ deployments }, given) => {
  const config = given instanceof DeploymentElement ? given.config : undefined;
  const { client } = await deployments.open(config?.uri.fsPath);
  await vscode.env.clipboard.writeText(client.connection.deploymentUrl ?? '');
};
