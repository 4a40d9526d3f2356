import { ExampleElement } from '../../views/datasets.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { rowCommand } from '../command.ts';
import { requireOneDataset } from './require-one-dataset.ts';

/**
 * Puts the selected examples into splits of their dataset, and takes them out of those that are no longer
 * picked.
 */
export const setSplits = rowCommand(
  [ExampleElement],
  async ({ trees }: { readonly trees: Trees }, first, rows) => {
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
    for (const split_name of added)
      await client.datasets.updateSplits({ params, body: { split_name, examples } });
    for (const split_name of removed)
      await client.datasets.updateSplits({ params, body: { split_name, examples, remove: true } });
    trees.traces.refresh();
  },
);
