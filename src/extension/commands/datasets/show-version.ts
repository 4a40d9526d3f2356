import * as vscode from 'vscode';
import type { DatasetChoices } from '../../datasets/dataset-choices.ts';
import { DatasetElement } from '../../views/datasets.ts';
import { rowCommand } from '../command.ts';

/** Shows the examples of a dataset as they were in an earlier version, or returns to the current ones. */
export const showVersion = rowCommand(
  [DatasetElement],
  async ({ datasetChoices }: { readonly datasetChoices: DatasetChoices }, { client, dataset }) => {
    const { chooseVersion } = await import('../../datasets/choose-version.ts');
    const chosen = await chooseVersion(client, dataset, vscode.l10n.t('Select a version'));
    if (chosen !== undefined) datasetChoices.change(dataset.id, { asOf: chosen.asOf });
  },
);
