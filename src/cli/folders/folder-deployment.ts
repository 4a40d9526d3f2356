import type { Client } from '../../client/client.ts';
import { listDeployments } from '../../client/list-deployments.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import { isServedInPlace } from '../../deploy/find-deployment.ts';
import { Failure } from '../terminal/failure.ts';
import { findConfig } from './open-folder.ts';

/**
 * The agent of a langgraph.json, whether it is served now or was earlier.
 * @param config as given on the command line; the default may be missing, since not every folder has an agent.
 * @returns undefined when there is no langgraph.json, or it was never served.
 * @throws Failure when a file was named that does not exist.
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
