import type { Client } from '../client/client.ts';
import { isUuid } from '../client/is-uuid.ts';
import { listDeployments } from '../client/list-deployments.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';

/** Whether a deployment is a folder that the server serves in place, without a build. */
export function isServedInPlace({ source, latest_revision_id }: Deployment): boolean {
  return source === 'workspace' && latest_revision_id === null;
}

/** The deployment with revisions that has exactly this name: folders that are served in place have none. */
export async function findBuiltDeployment(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const found = await listDeployments(client, name, signal);
  return found.find((deployment) => deployment.name === name && hasRevisions(deployment));
}

/**
 * The deployment with this ID or name. A folder that is served in place is found by its name only if no
 * built deployment has it.
 * @throws Error when there is none, or several.
 */
export async function findDeployment(
  client: Client,
  nameOrId: string,
  signal: AbortSignal,
): Promise<Deployment> {
  if (isUuid(nameOrId)) {
    return client.deployments.get({ params: { deployment_id: nameOrId.toLowerCase() } }, { signal });
  }
  const called = (await listDeployments(client, nameOrId, signal)).filter(({ name }) => name === nameOrId);
  const built = called.find(hasRevisions);
  if (built !== undefined) return built;
  const [live, another] = called;
  // Names of folders served in place are not unique.
  if (another !== undefined) {
    throw new Error(
      `Several deployments are named '${nameOrId}'. Use an ID: ${called.map(({ id }) => id).join(', ')}.`,
    );
  }
  if (live !== undefined) return live;
  throw new Error(`Deployment '${nameOrId}' not found. List deployments with agent-harbor deployments.`);
}

function hasRevisions({ latest_revision_id }: Deployment): boolean {
  return latest_revision_id !== null;
}
