import type { Dataset } from '../contract/datasets/datasets.ts';
import type { Client } from './client.ts';
import { isUuid } from './is-uuid.ts';
import type { CallOptions } from './transport.ts';

/**
 * Finds a dataset by its name or ID; names are tried first.
 * @returns undefined when there is none with this name.
 * @throws RequestError 404 when there is none with this ID.
 */
export async function findDataset(
  { datasets }: Pick<Client, 'datasets'>,
  nameOrId: string,
  options: CallOptions = {},
): Promise<Dataset | undefined> {
  const found = await datasets.list({ query: { name: nameOrId, limit: 1 } }, options);
  const named = found.find(({ name }) => name === nameOrId);
  if (named !== undefined || !isUuid(nameOrId)) return named;
  return datasets.get({ params: { dataset_id: nameOrId.toLowerCase() } }, options);
}
