import * as vscode from 'vscode';
import type { Config } from '../deployments/configs.ts';
import type { PackageInstaller } from './package-installer.ts';

/**
 * Installs the packages that the graphs of a project lack, without asking, while a notification is shown.
 * @returns whether the installation succeeded, or was not needed; if not, a message has offered to try again
 */
export async function installVisibly(installer: PackageInstaller, config: Config): Promise<boolean> {
  const { name } = config;
  const title = vscode.l10n.t('Installing the dependencies of {0}…', name);
  const location = vscode.ProgressLocation.Notification;
  const isInstalled = await vscode.window.withProgress({ location, title }, () =>
    installer.installBest(config),
  );
  // Closes the terminal to make room for the panel.
  if (isInstalled) await vscode.commands.executeCommand('workbench.action.closePanel');
  else await offerAgain(name, config.uri.fsPath);
  return isInstalled;
}

async function offerAgain(name: string, configPath: string): Promise<void> {
  const install = vscode.l10n.t('Install Dependencies');
  const chosen = await vscode.window.showErrorMessage(
    vscode.l10n.t('The dependencies of {0} could not be installed. See the terminal for details.', name),
    install,
  );
  if (chosen === install) await vscode.commands.executeCommand('agentHarbor.installPackages', configPath);
}
