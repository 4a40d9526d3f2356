import type { Client } from '../../client/client.ts';
import { listDeployments } from '../../client/list-deployments.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { isServedInPlace } from '../../deploy/find-deployment.ts';
import { Failure } from '../terminal/failure.ts';
import { findConfig } from './open-folder.ts';

/**
 * Finds the deployment of a langgraph.json that is or was served from its folder.
 * @param config the path from the command line; the default file may be missing, because not every folder has an agent
 * @returns undefined when the default file is missing, or its agent was never served
 * @throws Failure when another file does not exist
 */
export async function findFolderDeployment(
  client: Client,
  config: string,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const configPath = await findConfig(config).catch((error: unknown) => {
    if (error instanceof Failure && config === 'langgraph.json') return undefined;
    throw error;
  });
  if (configPath === undefined) return undefined;
  const all = await listDeployments(client, undefined, signal);
  return all.find(
    (deployment) =>
      isServedInPlace(deployment) && deployment.source_revision_config?.platform_config_path === configPath,
  );
}
