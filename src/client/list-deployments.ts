import type { Deployment } from '../contract/control-plane/deployments.ts';
import type { Client } from './client.ts';

const PAGE_SIZE = 100;

/**
 * Lists all deployments of a platform.
 * @param nameContains only those whose name contains this text.
 * @throws RequestError
 */
export async function listDeployments(
  client: Pick<Client, 'deployments'>,
  nameContains?: string,
  signal?: AbortSignal,
): Promise<Deployment[]> {
  const all: Deployment[] = [];
  for (;;) {
    const query = { limit: PAGE_SIZE, offset: all.length, name_contains: nameContains };
    const { resources } = await client.deployments.list({ query }, { signal });
    all.push(...resources);
    if (resources.length < PAGE_SIZE) return all;
  }
}
