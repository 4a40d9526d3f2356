import * as vscode from 'vscode';
import type { DatasetChoices } from '../../datasets/dataset-choices.ts';
import { DatasetElement } from '../../views/datasets.ts';
import { rowCommand } from '../command.ts';

/** Shows only the examples of a split of a dataset, or all of them again. */
export const showSplit = rowCommand(
  [DatasetElement],
  async ({ datasetChoices }: { readonly datasetChoices: DatasetChoices }, { client, dataset }) => {
    const { asOf } = datasetChoices.of(dataset.id);
    const splits = await client.datasets.splits({
      params: { dataset_id: dataset.id },
      query: asOf === undefined ? {} : { as_of: asOf },
    });
    const all = { label: vscode.l10n.t('All Examples'), split: undefined };
    const items = [all, ...splits.map((split) => ({ label: split, split }))];
    const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Select a split') });
    if (chosen !== undefined) datasetChoices.change(dataset.id, { split: chosen.split });
  },
);
