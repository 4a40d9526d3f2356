import { keyOnPlatform } from '../../deployments/deployment-key.ts';
import { ConnectionElement } from '../../views/connections.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';

/** The key of a row's deployment; undefined if the row has none. */
export function keyOf(element: unknown): string | undefined {
  if (element instanceof DeploymentElement) return element.config.uri.fsPath;
  if (element instanceof PlatformDeploymentElement) return element.key;
  if (element instanceof ConnectionElement && element.connection.isAgentServerOnly)
    return keyOnPlatform(element.connection.id, undefined);
  return undefined;
}
