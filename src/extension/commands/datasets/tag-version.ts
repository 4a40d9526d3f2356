import * as vscode from 'vscode';
import { DatasetElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/** Gives a version of a dataset a tag, or moves the tag to it. */
export const tagVersion = rowCommand(
  [DatasetElement],
  async ({ trees }: { readonly trees: Trees }, { client, dataset }) => {
    const { chooseVersion } = await import('../../datasets/choose-version.ts');
    const title = vscode.l10n.t('Select a version to tag');
    const chosen = await chooseVersion(client, dataset, title);
    if (chosen === undefined) return;
    const tag = await vscode.window.showInputBox({
      title: vscode.l10n.t('Tag Version'),
      prompt: vscode.l10n.t('If another version has this tag, it moves to this version.'),
      validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
    });
    if (tag === undefined) return;
    const params = { dataset_id: dataset.id };
    // If the user has chosen the current version, its time is read now, so that no later version is tagged.
    const as_of =
      chosen.asOf ?? (await client.datasets.version({ params, query: { as_of: 'latest' } })).as_of;
    await client.datasets.tag({ params, body: { as_of, tag: tag.trim() } });
    trees.traces.refresh();
    void vscode.window.showInformationMessage(vscode.l10n.t('Tagged as {0}.', tag.trim()));
  },
);
