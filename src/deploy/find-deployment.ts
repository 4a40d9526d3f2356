import type { Client } from '../client/client.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';

const PAGE = 100;
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Every deployment whose name contains a text. */
export async function listDeployments(
  client: Client,
  nameContains: string | undefined,
  signal: AbortSignal,
): Promise<Deployment[]> {
  const all: Deployment[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: all.length, name_contains: nameContains };
    const { resources } = await client.deployments.list({ query }, { signal });
    all.push(...resources);
    if (resources.length < PAGE) return all;
  }
}

/** The deployment of exactly this name that is built from a source; live workspaces are served by `dev`. */
export async function findByName(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const found = await listDeployments(client, name, signal);
  return found.find((deployment) => deployment.name === name && deployment.latest_revision_id !== null);
}

/**
 * The deployment of this id or name: one that is built from a source before a folder that is served as it stands.
 * @throws Error when there is none, or when it is not clear which.
 */
export async function findDeployment(
  client: Client,
  nameOrId: string,
  signal: AbortSignal,
): Promise<Deployment> {
  if (ID.test(nameOrId)) {
    return client.deployments.get({ params: { deployment_id: nameOrId.toLowerCase() } }, { signal });
  }
  const called = (await listDeployments(client, nameOrId, signal)).filter(({ name }) => name === nameOrId);
  const built = called.find(({ latest_revision_id }) => latest_revision_id !== null);
  if (built !== undefined) return built;
  const [live, another] = called;
  // Folders that are served from where they are have no names of their own.
  if (another !== undefined) {
    throw new Error(
      `Several deployments are named '${nameOrId}'; use the ID of one: ${called.map(({ id }) => id).join(', ')}.`,
    );
  }
  if (live !== undefined) return live;
  throw new Error(`There is no deployment '${nameOrId}'; agent-harbor deployments lists them.`);
}
