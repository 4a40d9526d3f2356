import * as vscode from 'vscode';
import { type SplitChoice, splitChanges, splitChoices } from '../../datasets/split-choice.ts';
import { ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/** Puts the selected examples into splits of their dataset, and takes them out of those that are no longer picked. */
export const setSplits = rowCommand(
  [ExampleElement],
  async ({ trees }: { readonly trees: Trees }, first, rows) => {
    const { client, dataset } = first.parent;
    if (rows.some(({ parent }) => parent.dataset.id !== dataset.id))
      throw new Error(
        vscode.l10n.t('The selected examples are in several datasets. Select examples from only one.'),
      );
    const params = { dataset_id: dataset.id };
    const known = await client.datasets.splits({ params, query: {} });
    const current = rows.map(({ splits }) => splits);
    const chosen = await chooseSplits(splitChoices(known, current), rows.length);
    if (chosen === undefined) return;
    const { added, removed } = splitChanges(chosen, current);
    const examples = rows.map(({ exampleId }) => exampleId);
    for (const split_name of added)
      await client.datasets.updateSplits({ params, body: { split_name, examples } });
    for (const split_name of removed)
      await client.datasets.updateSplits({ params, body: { split_name, examples, remove: true } });
    trees.traces.refresh();
  },
);

/** Asks for splits, one of which may be new. @returns undefined when canceled */
async function chooseSplits(
  choices: readonly SplitChoice[],
  examples: number,
): Promise<ReadonlySet<string> | undefined> {
  const fresh = {
    label: vscode.l10n.t('New Split…'),
    iconPath: new vscode.ThemeIcon('add'),
    split: undefined,
  };
  const items = choices.map(({ split, isShared, count }) => ({
    label: split,
    picked: isShared,
    split,
    ...(count > 0 && !isShared ? { description: vscode.l10n.t('{0} of {1} examples', count, examples) } : {}),
  }));
  const title = vscode.l10n.t('Select the splits of the examples');
  const chosen = await vscode.window.showQuickPick([fresh, ...items], { title, canPickMany: true });
  if (chosen === undefined) return undefined;
  const splits = new Set(chosen.flatMap(({ split }) => split ?? []));
  if (!chosen.some(({ split }) => split === undefined)) return splits;
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('New Split'),
    prompt: vscode.l10n.t('Split name'),
    validateInput: (value) => (value.trim() === '' ? vscode.l10n.t('Enter a name.') : undefined),
  });
  return given === undefined ? undefined : splits.add(given.trim());
}
