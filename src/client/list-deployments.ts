import type { Deployment } from '../contract/control-plane/deployments.ts';
import type { Client } from './client.ts';
import { eachPage } from './each-page.ts';

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
  const pages = eachPage({ idOf: ({ id }: Deployment) => id }, async (page) => {
    const query = { ...page, name_contains: nameContains };
    const { resources } = await client.deployments.list({ query }, { signal });
    return resources;
  });
  for await (const page of pages) all.push(...page);
  return all;
}
