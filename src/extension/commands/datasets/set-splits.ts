import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';

/** Puts the selected examples into splits of their dataset, and takes them out of the others. */
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
    const chosen = await chooseSplits(known, first.splits);
    if (chosen === undefined) return;
    await moveExamples(client, dataset.id, {
      examples: rows.map(({ exampleId }) => exampleId),
      from: new Set(rows.flatMap(({ splits }) => splits)),
      to: chosen,
    });
    trees.traces.refresh();
  },
);

/** Asks for splits, one of which may be new. @returns undefined when canceled */
async function chooseSplits(
  known: readonly string[],
  current: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const fresh = {
    label: vscode.l10n.t('New Split…'),
    iconPath: new vscode.ThemeIcon('add'),
    split: undefined,
  };
  const items = known.map((split) => ({ label: split, picked: current.includes(split), split }));
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

interface Move {
  readonly examples: string[];
  readonly from: ReadonlySet<string>;
  readonly to: ReadonlySet<string>;
}

async function moveExamples(
  { datasets }: Client,
  datasetId: string,
  { examples, from, to }: Move,
): Promise<void> {
  const params = { dataset_id: datasetId };
  for (const split_name of to) await datasets.updateSplits({ params, body: { split_name, examples } });
  for (const split_name of from)
    if (!to.has(split_name))
      await datasets.updateSplits({ params, body: { split_name, examples, remove: true } });
}
