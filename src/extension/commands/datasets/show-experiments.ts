import * as vscode from 'vscode';
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
  const { chooseExistingDataset } = await import('../../datasets/choose-dataset.ts');
  const chosen = await chooseExistingDataset(await connection.connect(), vscode.l10n.t('Select a dataset'));
  if (chosen === undefined) return;
  const { id, name } = chosen;
  (await experimentsPanels()).open({ connection: connection.id, datasetId: id, name });
};
