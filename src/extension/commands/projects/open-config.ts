import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { type Command, refuseLostRow } from '../command.ts';

/** Opens a deployment's langgraph.json. */
export const openConfig: Command<{ readonly deployments: Deployments }> = async (
  { deployments },
  ...args
) => {
  refuseLostRow(args);
  const [argument] = args;
  if (argument instanceof PlatformDeploymentElement) {
    if (argument.configPath !== undefined)
      await vscode.window.showTextDocument(vscode.Uri.file(argument.configPath));
    return;
  }
  const config =
    argument instanceof DeploymentElement
      ? argument.config
      : (await deployments.folders.findSelected())?.config;
  if (config !== undefined) await vscode.window.showTextDocument(config.uri);
};
