import * as vscode from 'vscode';
import { isRunGraph } from '../dialogs/is-run-graph.ts';
import { ConnectionElement } from '../views/connections.ts';
import { DeploymentElement } from '../views/deployments.ts';
import { NoDeploymentsElement, PlatformDeploymentElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Asks what to deploy where, and deploys it. */
export const deploy: Command = async ({ deploying }, argument) => {
  await (await deploying()).deploy(knownOf(argument));
};

/** Asks the same, and records the runs of what it deploys. */
export const deployAndRecord: Command = async ({ deploying }, argument) => {
  await (await deploying()).deploy(knownOf(argument), true);
};

/** The project or deployment of the place that it was called from. */
function knownOf(argument: unknown) {
  if (argument instanceof vscode.Uri) return { configPath: argument.fsPath };
  if (isRunGraph(argument)) return { configPath: argument.config_path };
  if (argument instanceof DeploymentElement) return { configPath: argument.config.uri.fsPath };
  // The title bar of the view passes the focused row, even if it cannot be deployed to.
  if (argument instanceof ConnectionElement && argument.connection.state.status === 'ready')
    return { connectionId: argument.connection.id };
  if (argument instanceof NoDeploymentsElement) return { connectionId: argument.parent.connection.id };
  if (argument instanceof PlatformDeploymentElement)
    return { connectionId: argument.connection.id, name: argument.deployment.name };
  return {};
}
