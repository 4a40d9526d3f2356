import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { type DatasetRef, listDatasetItems } from './dataset-items.ts';

/**
 * Asks for a dataset, and creates it if the user enters a new one.
 * @param name the proposed name of a new dataset
 * @returns undefined when canceled
 * @throws RequestError
 */
export async function chooseDataset(client: Client, name = ''): Promise<DatasetRef | undefined> {
  const fresh = {
    label: vscode.l10n.t('New Dataset…'),
    iconPath: new vscode.ThemeIcon('add'),
    dataset: undefined,
  };
  const { items, options } = await listDatasetItems(client, vscode.l10n.t('Select a dataset'));
  const chosen = await vscode.window.showQuickPick([fresh, ...items], options);
  if (chosen === undefined) return undefined;
  if (chosen.dataset !== undefined) return chosen.dataset;
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Dataset'),
    prompt: vscode.l10n.t('Dataset name'),
    value: name,
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
  });
  return given === undefined ? undefined : client.datasets.create({ body: { name: given.trim() } });
}

/**
 * Asks for one of the existing datasets.
 * @returns undefined when canceled
 * @throws Error if there are none, RequestError
 */
export async function chooseExistingDataset(client: Client, title: string): Promise<DatasetRef | undefined> {
  const { items, options } = await listDatasetItems(client, title);
  if (items.length === 0) throw new Error(vscode.l10n.t('No datasets yet.'));
  return (await vscode.window.showQuickPick(items, options))?.dataset;
}
