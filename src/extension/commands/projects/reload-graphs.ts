import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { type Command, refuseLostRow } from '../command.ts';

/** Loads a deployment's graphs again, in a fresh process. */
export const reloadGraphs: Command<{ readonly deployments: Deployments }> = async (
  { deployments },
  ...args
) => {
  refuseLostRow(args);
  const [argument] = args;
  const config =
    argument instanceof DeploymentElement
      ? argument.config
      : (await deployments.folders.findSelected())?.config;
  if (config === undefined) return;
  const location = { viewId: 'agentHarbor.deployments' };
  await vscode.window.withProgress({ location }, () => deployments.folders.reload(config));
};
