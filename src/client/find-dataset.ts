import type { Dataset } from '../contract/datasets/datasets.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './transport.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * A dataset by its name or id.
 * @returns undefined when there is none with this name.
 * @throws RequestError 404 when there is none with this id.
 */
export async function findDataset(
  { datasets }: Pick<Client, 'datasets'>,
  nameOrId: string,
  options: CallOptions = {},
): Promise<Dataset | undefined> {
  const found = await datasets.list({ query: { name: nameOrId, limit: 1 } }, options);
  const named = found.find(({ name }) => name === nameOrId);
  if (named !== undefined || !ID.test(nameOrId)) return named;
  return datasets.get({ params: { dataset_id: nameOrId.toLowerCase() } }, options);
}
