import * as vscode from 'vscode';
import { listDatasetItems } from '../../datasets/dataset-items.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { ExperimentsPanels } from '../../panels/experiments/experiments-panels.ts';
import { DatasetElement } from '../../views/datasets.ts';
import type { Command } from '../command.ts';

interface ShowExperimentsParts {
  readonly deployments: Deployments;
  readonly experimentsPanels: () => Promise<ExperimentsPanels>;
}

/** Shows the experiments on the dataset of a row, or on a dataset that the user chooses. */
export const showExperiments: Command<ShowExperimentsParts> = async (
  { deployments, experimentsPanels },
  argument,
) => {
  if (argument instanceof DatasetElement) {
    const { connection, dataset } = argument;
    (await experimentsPanels()).open({ connection, datasetId: dataset.id, name: dataset.name });
    return;
  }
  const { connection } = deployments;
  const items = await listDatasetItems(await connection.connect());
  if (items.length === 0) throw new Error(vscode.l10n.t('No datasets yet.'));
  const title = vscode.l10n.t('Select a dataset');
  const chosen = await vscode.window.showQuickPick(items, { title });
  if (chosen === undefined) return;
  const { id, name } = chosen.dataset;
  (await experimentsPanels()).open({ connection: connection.id, datasetId: id, name });
};
