import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { formatExampleCount } from '../wording/format.ts';

/** The maximum number of datasets to choose from. */
const MAX_DATASETS = 1000;

export interface DatasetRef {
  readonly id: string;
  readonly name: string;
}

/** A dataset to choose. */
export interface DatasetItem extends vscode.QuickPickItem {
  readonly dataset: DatasetRef;
}

interface DatasetItems {
  readonly items: readonly DatasetItem[];
  /** The options of the question; they say so if the platform has more datasets. */
  readonly options: vscode.QuickPickOptions;
}

/**
 * Lists the datasets of a platform as choices: the `MAX_DATASETS` that were changed last, the latest first.
 * @throws RequestError
 */
export async function listDatasetItems(client: Client, title: string): Promise<DatasetItems> {
  const { readUpTo } = await import('../../client/read-up-to.ts');
  const { found, isMore } = await readUpTo(MAX_DATASETS, (page) =>
    client.datasets.list({ query: { ...page, sort_by: 'modified_at' } }),
  );
  const items = found.map(({ id, name, example_count }) => ({
    label: name,
    description: formatExampleCount(example_count ?? 0),
    iconPath: new vscode.ThemeIcon('database'),
    dataset: { id, name },
  }));
  if (!isMore) return { items, options: { title } };
  const placeHolder = vscode.l10n.t('Only the {0} datasets that changed last are listed.', MAX_DATASETS);
  return { items, options: { title, placeHolder } };
}
