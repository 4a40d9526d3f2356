import { Command } from 'commander';
import type { z } from 'zod';
import type { DatasetVersion } from '../../../contract/datasets/datasets.ts';
import { addPageOptions, type PageOptions, readPages, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import type { Column } from '../../render/table.ts';
import type { Context } from '../../terminal/context.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';

const COLUMNS: readonly Column<z.output<typeof DatasetVersion>>[] = [
  { title: 'VERSION', cell: ({ as_of }) => as_of },
  { title: 'TAGS', cell: ({ tags }) => (tags ?? []).join(', '), paint: (text, _, { cyan }) => cyan(text) },
];

export function listVersions(context: Context): Command {
  const command = new Command('versions')
    .description('list the versions of a dataset, newest first, with their tags')
    .argument('<dataset>', 'name or ID');
  return addPageOptions(command).action((name: string, options: PlatformOptions & PageOptions) =>
    withPlatform(context, options, async (client) => {
      const { id } = await requireDataset(context, client, name);
      const page = await readPages(options, 100, ({ limit, offset }, { onAnswer }) =>
        client.datasets.versions(
          { params: { dataset_id: id }, query: { limit, offset } },
          { signal: context.interrupted, onAnswer },
        ),
      );
      showPage(context, page, COLUMNS, { ...options, empty: 'No versions yet.' });
    }),
  );
}

export function tagVersion(context: Context): Command {
  return new Command('tag')
    .description('tag a version, or move the tag to it')
    .argument('<dataset>', 'name or ID')
    .argument('<tag>')
    .option('--as-of <version>', 'version', 'latest')
    .action((name: string, tag: string, options: PlatformOptions & { readonly asOf: string }) =>
      withPlatform(context, options, async (client) => {
        const { id } = await requireDataset(context, client, name);
        const params = { dataset_id: id };
        const { as_of } = await client.datasets.version({ params, query: { as_of: options.asOf } });
        showResource(context, options, await client.datasets.tag({ params, body: { as_of, tag } }));
      }),
    );
}

export function diffVersions(context: Context): Command {
  return new Command('diff')
    .description('show the changes between two versions')
    .argument('<dataset>', 'name or ID')
    .argument('<from>', 'time or tag')
    .argument('[to]', 'time or tag', 'latest')
    .action((name: string, from: string, to: string, options: PlatformOptions) =>
      withPlatform(context, options, async (client) => {
        const { id } = await requireDataset(context, client, name);
        const query = { from_version: from, to_version: to };
        const diff = await client.datasets.diff({ params: { dataset_id: id }, query });
        const { terminal } = context;
        if (options.json) {
          terminal.json(diff);
          return;
        }
        for (const example of diff.examples_added) terminal.line(terminal.colors.green(`+ ${example}`));
        for (const example of diff.examples_modified) terminal.line(terminal.colors.yellow(`~ ${example}`));
        for (const example of diff.examples_removed) terminal.line(terminal.colors.red(`- ${example}`));
      }),
    );
}
