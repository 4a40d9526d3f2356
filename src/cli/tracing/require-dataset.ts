import type { Client } from '../../client/client.ts';
import { findDataset } from '../../client/find-dataset.ts';
import type { Dataset } from '../../contract/datasets/datasets.ts';
import type { Context } from '../terminal/context.ts';
import { Failure } from '../terminal/failure.ts';

/** Finds a dataset by its name or ID. @throws Failure when there is no such dataset */
export async function requireDataset(context: Context, client: Client, nameOrId: string): Promise<Dataset> {
  const found = await findDataset(client, nameOrId, { signal: context.interrupted });
  if (found !== undefined) return found;
  throw new Failure(`Dataset '${nameOrId}' not found. List datasets with agent-harbor datasets list.`);
}
