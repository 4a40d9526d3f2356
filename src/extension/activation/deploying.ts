import * as vscode from 'vscode';
import { DEPLOYED_LAST_KEY } from '../deploy/deployed-last.ts';
import type { Deploying } from '../deploy/deploying.ts';
import type { Trees } from '../views/live-refresh.ts';
import { once } from './once.ts';
import type { Services } from './services.ts';

/**
 * Sets the context key `agentHarbor.hasDeployed`, by which Deploy Again is offered.
 * @returns a function that loads the deployment code on first use
 */
export function prepareDeploying(
  { subscriptions, workspaceState }: vscode.ExtensionContext,
  { connections, configs, documents, errors }: Services,
  trees: Trees,
): () => Promise<Deploying> {
  const hasDeployed = workspaceState.get(DEPLOYED_LAST_KEY) !== undefined;
  void vscode.commands.executeCommand('setContext', 'agentHarbor.hasDeployed', hasDeployed);
  return once(async () => {
    const { Deploying } = await import('../deploy/deploying.ts');
    const deploying = new Deploying({
      connections,
      configs,
      memento: workspaceState,
      errors,
      changed: () => trees.deployments.refresh(),
      reveal: (connectionId, deploymentId) =>
        trees.deployments.reveal(`connection:${connectionId}:ready/deployment:${deploymentId}`),
      showText: documents.showText.bind(documents),
    });
    subscriptions.push(deploying);
    return deploying;
  });
}
