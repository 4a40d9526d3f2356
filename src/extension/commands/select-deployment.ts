import * as vscode from 'vscode';
import { DeploymentElement } from '../views/deployments.ts';
import type { Command } from './command.ts';

/** Chooses the deployment that Assistants, Threads and new runs are about, and serves it. */
export const selectDeployment: Command = async ({ deployments, configs }, given) => {
  const config = given instanceof DeploymentElement ? given.config : await pick(await configs.list());
  if (config === undefined) return;
  await deployments.selectInWorkspace(config.uri.fsPath);
  await deployments.open(config.uri.fsPath);
};

async function pick<C extends { readonly uri: vscode.Uri; readonly name: string }>(
  configs: readonly C[],
): Promise<C | undefined> {
  const items = configs.map((config) => ({
    label: config.name,
    description: vscode.workspace.asRelativePath(config.uri),
    config,
  }));
  const title = vscode.l10n.t('Which deployment should the views show?');
  return (await vscode.window.showQuickPick(items, { title }))?.config;
}
