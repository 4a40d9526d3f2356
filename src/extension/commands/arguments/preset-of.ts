import * as vscode from 'vscode';
import { ConnectionElement } from '../../views/connections.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { NoDeploymentsElement, PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import { isRunGraph } from './is-run-graph.ts';

/**
 * The answers of the deploy wizard that follow from the project or the deployment that the command was
 * called on.
 */
export function presetOf(argument: unknown) {
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
