import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { DatasetElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import type { Command } from '../command.ts';

interface ImportExamplesParts {
  readonly deployments: Deployments;
  readonly trees: Trees;
}

/** Imports examples from a file into the dataset of a row, or one that is chosen. */
export const importExamples: Command<ImportExamplesParts> = async ({ deployments, trees }, argument) => {
  const row = argument instanceof DatasetElement ? argument : undefined;
  const client = row?.client ?? (await deployments.connection.connect());
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import Examples'),
      openLabel: vscode.l10n.t('Import'),
      filters: {
        [vscode.l10n.t('Examples')]: ['csv', 'jsonl', 'json', 'yaml', 'yml'],
        [vscode.l10n.t('All Files')]: ['*'],
      },
    })) ?? [];
  if (file === undefined) return;
  const { importFile } = await import('../../datasets/import-file.ts');
  // Examples that were added before a failure stay.
  await importFile(client, file, row?.dataset).finally(() => trees.traces.refresh());
};
