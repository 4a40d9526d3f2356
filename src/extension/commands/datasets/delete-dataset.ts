import * as vscode from 'vscode';
import { isNotFound } from '../../../client/request-error.ts';
import { DatasetElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/** Deletes the selected datasets with all versions of their examples, after asking. */
export const deleteDataset = rowCommand(
  [DatasetElement],
  async ({ trees }: { readonly trees: Trees }, first, datasets) => {
    const confirm = vscode.l10n.t('Delete');
    const question =
      datasets.length === 1
        ? vscode.l10n.t('Delete the dataset “{0}”?', first.dataset.name)
        : vscode.l10n.t('Delete {0} datasets?', datasets.length);
    const detail =
      datasets.length === 1
        ? vscode.l10n.t('This permanently deletes its examples in all versions. Traces are kept.')
        : vscode.l10n.t('This permanently deletes their examples in all versions. Traces are kept.');
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm);
    if (chosen !== confirm) return;
    try {
      await vscode.window.withProgress({ location: { viewId: 'agentHarbor.traces' } }, async () => {
        for (const { client, dataset } of datasets) {
          await client.datasets
            .delete({ params: { dataset_id: dataset.id } })
            // If the dataset was already deleted, there is nothing to do.
            .catch((error) => {
              if (!isNotFound(error)) throw error;
            });
        }
      });
    } finally {
      trees.traces.refresh();
    }
  },
);
