import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { confirmByName } from '../../dialogs/confirm-by-name.ts';
import { DatasetElement, ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { selectedRows } from '../../views/selected-rows.ts';
import { formatExampleCount } from '../../wording/format.ts';
import type { Command } from '../command.ts';
import { requireOneDataset } from './require-one-dataset.ts';

interface DeleteExamplesParts {
  readonly deployments: Deployments;
  readonly trees: Trees;
}

/** Deletes examples of a dataset: from the current version, or from all versions. */
export const deleteExamples: Command<DeleteExamplesParts> = async (
  { deployments, trees },
  argument,
  selected,
) => {
  const rows = selectedRows(argument, selected).filter((row) => row instanceof ExampleElement);
  requireOneDataset(rows);
  const [first] = rows;
  const place = first?.parent ?? (argument instanceof DatasetElement ? argument : undefined);
  const client = place?.client ?? (await deployments.connection.connect());
  const { chooseExistingDataset } = await import('../../datasets/choose-dataset.ts');
  const { chooseExamplesToDelete } = await import('../../datasets/choose-examples-to-delete.ts');
  const { deleteExamples: softDelete } = await import('../../../client/examples.ts');
  const title = vscode.l10n.t('Select a dataset to delete examples from');
  const dataset = place?.dataset ?? (await chooseExistingDataset(client, title));
  if (dataset === undefined) return;
  const ids =
    first === undefined
      ? await chooseExamplesToDelete(client, dataset)
      : rows.map(({ exampleId }) => exampleId);
  if (ids === undefined || ids.length === 0) return;
  const isPurge = await askHowToDelete(ids.length);
  if (isPurge === undefined) return;
  if (isPurge && !(await confirmPurge(ids.length, dataset.name))) return;
  try {
    if (isPurge) await client.examples.deleteBatch({ body: { example_ids: ids, hard_delete: true } });
    else await softDelete(client, ids);
  } finally {
    // Datasets are rows of the Traces view. After a failure, some examples may have been deleted.
    trees.traces.refresh();
  }
  void vscode.window.showInformationMessage(doneText(isPurge, ids.length, dataset.name));
};

/** Asks whether to purge examples from all versions, or to delete them from the current one; undefined when canceled. */
async function askHowToDelete(count: number): Promise<boolean | undefined> {
  const items = [
    {
      label: vscode.l10n.t('Delete'),
      detail: vscode.l10n.t('Removed from the current version. Earlier versions keep them.'),
      isPurge: false,
    },
    {
      label: vscode.l10n.t('Purge from All Versions'),
      detail: vscode.l10n.t('Permanently deletes inputs, outputs, metadata, and attachments.'),
      isPurge: true,
    },
  ];
  const title = vscode.l10n.t('Delete {0}', formatExampleCount(count));
  return (await vscode.window.showQuickPick(items, { title }))?.isPurge;
}

function confirmPurge(count: number, name: string): Promise<boolean> {
  return confirmByName({
    title: vscode.l10n.t('Permanently Purge {0}', formatExampleCount(count)),
    prompt: vscode.l10n.t(
      'Type “{0}” to purge the selected examples from all versions. This cannot be undone.',
      name,
    ),
    name,
  });
}

function doneText(isPurge: boolean, count: number, name: string): string {
  if (isPurge) {
    return count === 1
      ? vscode.l10n.t('Purged 1 example from all versions of {0}.', name)
      : vscode.l10n.t('Purged {0} examples from all versions of {1}.', count, name);
  }
  return count === 1
    ? vscode.l10n.t('Deleted 1 example. Earlier versions of {0} keep it.', name)
    : vscode.l10n.t('Deleted {0} examples. Earlier versions of {1} keep them.', count, name);
}
