import * as vscode from 'vscode';
import { isRunGraph } from '../dialogs/is-run-graph.ts';
import { ConnectionElement } from '../views/connections.ts';
import { DeploymentElement } from '../views/deployments.ts';
import { NoDeploymentsElement, PlatformDeploymentElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Asks what to deploy where, and deploys it. */
export const deploy: Command = async ({ deploying }, given) => {
  await (await deploying()).deploy(knownOf(given));
};

/** The project or deployment of the place that it was called from. */
function knownOf(given: unknown) {
  if (given instanceof vscode.Uri) return { configPath: given.fsPath };
  if (isRunGraph(given)) return { configPath: given.config_path };
  if (given instanceof DeploymentElement) return { configPath: given.config.uri.fsPath };
  // The title bar of the view passes the focused row, even if it cannot be deployed to.
  if (given instanceof ConnectionElement && given.connection.state.status === 'ready')
    return { connectionId: given.connection.id };
  if (given instanceof NoDeploymentsElement) return { connectionId: given.parent.connection.id };
  if (given instanceof PlatformDeploymentElement)
    return { connectionId: given.connection.id, name: given.deployment.name };
  return {};
}
