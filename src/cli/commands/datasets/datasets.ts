import { Command } from 'commander';
import type { Dataset } from '../../../contract/datasets/datasets.ts';
import { pairArgument } from '../../arguments/json-arguments.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import type { Column } from '../../render/table.ts';
import { localTime } from '../../render/time.ts';
import { confirm } from '../../terminal/confirm.ts';
import type { Context } from '../../terminal/context.ts';
import { addPlatformOptions, type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';
import { addExample, deleteExamples, listExamplesCommand } from './examples.ts';
import { listExperiments } from './experiments.ts';
import { exportDataset, importDataset } from './files.ts';
import { splitDataset } from './splits.ts';
import { diffVersions, listVersions, tagVersion } from './versions.ts';

const COLUMNS: readonly Column<Dataset>[] = [
  { title: 'DATASET', cell: ({ name }) => name, flexible: true },
  { title: 'EXAMPLES', cell: ({ example_count }) => String(example_count ?? '') },
  { title: 'MODIFIED', cell: ({ modified_at }) => localTime(modified_at) },
  { title: 'DESCRIPTION', cell: ({ description }) => description ?? '', flexible: true },
  { title: 'ID', cell: ({ id }) => id },
];

export function datasetsCommand(context: Context): Command {
  const command = new Command('datasets').description('versioned datasets of examples for evaluations');
  const makers = [
    list,
    get,
    create,
    remove,
    listExamplesCommand,
    addExample,
    deleteExamples,
    importDataset,
    exportDataset,
    listVersions,
    tagVersion,
    diffVersions,
    splitDataset,
    listExperiments,
  ];
  for (const make of makers) command.addCommand(addPlatformOptions(make(context)));
  return command;
}

function list(context: Context): Command {
  const command = new Command('list')
    .description('list datasets, newest first')
    .option('--name-contains <text>', 'only if the name contains this text');
  return addPageOptions(command).action(
    (options: PlatformOptions & PageOptions & { readonly nameContains?: string }) =>
      withPlatform(context, options, async ({ datasets }) => {
        const page = await readPages(options, 100, ({ limit, offset }, { onAnswer }) =>
          datasets.list(
            { query: { limit, offset, name_contains: options.nameContains, sort_by: 'modified_at' } },
            { signal: context.interrupted, onAnswer },
          ),
        );
        showPage(context, page, COLUMNS, { ...options, empty: 'No matching datasets.' });
      }),
  );
}

function get(context: Context): Command {
  return new Command('get')
    .description('show a dataset')
    .argument('<dataset>', 'name or ID')
    .action((name: string, options: PlatformOptions) =>
      withPlatform(context, options, async (client) =>
        showResource(context, options, await requireDataset(context, client, name)),
      ),
    );
}

function create(context: Context): Command {
  return new Command('create')
    .description('create an empty dataset')
    .argument('<name>')
    .option('--description <text>', 'description')
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .action(
      (
        name: string,
        options: PlatformOptions & { readonly description?: string; readonly metadata?: object },
      ) =>
        withPlatform(context, options, async ({ datasets }) => {
          const { description, metadata } = options;
          const body = {
            name,
            ...(description === undefined ? {} : { description }),
            ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
          };
          showResource(context, options, await datasets.create({ body }));
        }),
    );
}

function remove(context: Context): Command {
  return new Command('delete')
    .description('delete a dataset with all versions of its examples')
    .argument('<dataset>', 'name or ID')
    .option('--yes', 'skip typing its name')
    .action((nameOrId: string, options: PlatformOptions & { readonly yes?: true }) =>
      withPlatform(context, options, async (client) => {
        const { id, name } = await requireDataset(context, client, nameOrId);
        if (!options.yes) {
          await confirm(context, {
            question: `Type '${name}' to permanently delete the dataset and all its examples: `,
            expected: name,
            otherwise: 'Nothing was deleted.',
          });
        }
        await client.datasets.delete({ params: { dataset_id: id } });
        context.terminal.note(`Deleted dataset '${name}' (${id}).`);
      }),
    );
}
