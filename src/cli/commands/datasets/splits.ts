import { Command } from 'commander';
import { idArgument } from '../../arguments/json-arguments.ts';
import type { Context } from '../../terminal/context.ts';
import { usage } from '../../terminal/failure.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';

export function splitDataset(context: Context): Command {
  return new Command('split')
    .description('list the splits of a dataset, or add examples to a split or remove them')
    .argument('<dataset>', 'name or ID')
    .argument('[split]', 'split')
    .argument('[examples...]', 'example IDs')
    .option('--remove', 'remove the examples from the split')
    .action(
      (
        name: string,
        split: string | undefined,
        ids: string[],
        options: PlatformOptions & { readonly remove?: true },
      ) => {
        const examples = ids.map((id) => idArgument('example', id));
        if (split !== undefined && examples.length === 0)
          throw usage(
            `Pass the IDs of the examples to add to '${split}', or to remove from it with --remove.`,
          );
        return withPlatform(context, options, async (client) => {
          const { id } = await requireDataset(context, client, name);
          const params = { dataset_id: id };
          const remove = options.remove === true;
          const splits =
            split === undefined
              ? await client.datasets.splits({ params })
              : await client.datasets.updateSplits({ params, body: { split_name: split, examples, remove } });
          if (options.json) context.terminal.json(splits);
          else for (const one of splits) context.terminal.line(one);
        });
      },
    );
}
