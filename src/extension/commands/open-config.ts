import * as vscode from 'vscode';
import { DeploymentElement } from '../views/deployments.ts';
import { PlatformDeploymentElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Opens a deployment's langgraph.json. */
export const openConfig: Command = async ({ deployments }, given) => {
  if (given instanceof PlatformDeploymentElement) {
    if (given.configPath !== undefined)
      await vscode.window.showTextDocument(vscode.Uri.file(given.configPath));
    return;
  }
  const config =
    given instanceof DeploymentElement ? given.config : (await deployments.folders.selected())?.config;
  if (config !== undefined) await vscode.window.showTextDocument(config.uri);
};
