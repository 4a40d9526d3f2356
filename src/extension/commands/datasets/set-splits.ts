import * as vscode from 'vscode';
import { ExampleElement } from '../../views/datasets.ts';
import type { Tree } from '../../views/tree.ts';
import { rowCommand } from '../command.ts';
import { requireOneDataset } from './require-one-dataset.ts';

/**
 * Puts the selected examples into splits of their dataset, and takes them out of those that are no longer
 * picked.
 */
export const setSplits = rowCommand(
  [ExampleElement],
  async ({ trees }: { readonly trees: { readonly traces: Pick<Tree, 'refresh'> } }, first, rows) => {
    const { client, dataset } = first.parent;
    requireOneDataset(rows);
    const params = { dataset_id: dataset.id };
    const known = await client.datasets.splits({ params, query: {} });
    const current = rows.map(({ splits }) => splits);
    const { chooseSplits } = await import('../../datasets/choose-splits.ts');
    const changes = await chooseSplits(known, current);
    if (changes === undefined) return;
    const { added, removed } = changes;
    const examples = rows.map(({ exampleId }) => exampleId);
    const splits = [
      ...added.map((split_name) => ({ split_name, remove: false })),
      ...removed.map((split_name) => ({ split_name, remove: true })),
    ];
    const { changeOneByOne } = await import('../../dialogs/change-one-by-one.ts');
    const change = async (split: (typeof splits)[number]) => {
      await client.datasets.updateSplits({ params, body: { ...split, examples } });
    };
    try {
      await changeOneByOne(splits, change, (done, { split_name }, reason) =>
        vscode.l10n.t(
          'Changed {0} of {1} splits. Could not change {2}: {3}',
          ...[done, splits.length, split_name, reason],
        ),
      );
    } finally {
      trees.traces.refresh();
    }
  },
);
