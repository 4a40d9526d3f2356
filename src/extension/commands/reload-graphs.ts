import * as vscode from 'vscode';
import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Loads a deployment's graphs again, in a fresh process. */
export const reloadGraphs: Command = async ({ deployments }, given) => {
  const config =
    given instanceof DeploymentElement ? given.config : (await deployments.folders.selected())?.config;
  if (config === undefined) return;
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () => deployments.folders.reload(config));
};
