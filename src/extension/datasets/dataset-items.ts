import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { formatExampleCount } from '../wording/format.ts';

/** The maximum number of datasets to choose from. */
const MAX_DATASETS = 100;

export interface DatasetRef {
  readonly id: string;
  readonly name: string;
}

/** A dataset to choose. */
export interface DatasetItem extends vscode.QuickPickItem {
  readonly dataset: DatasetRef;
}

/**
 * Lists the datasets of a platform as choices: the `MAX_DATASETS` that were changed last, the latest first.
 * @throws RequestError
 */
export async function listDatasetItems(client: Client): Promise<DatasetItem[]> {
  const found = await client.datasets.list({ query: { sort_by: 'modified_at', limit: MAX_DATASETS } });
  return found.map(({ id, name, example_count }) => ({
    label: name,
    description: formatExampleCount(example_count ?? 0),
    iconPath: new vscode.ThemeIcon('database'),
    dataset: { id, name },
  }));
}
