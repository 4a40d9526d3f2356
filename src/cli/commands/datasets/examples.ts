import { Command } from 'commander';
import { makeExampleOfRun } from '../../../client/example-of-run.ts';
import { type ListedExample, listExamples } from '../../../client/examples.ts';
import { formatCount } from '../../../process/format-count.ts';
import { listArgument } from '../../arguments/arguments.ts';
import { idArgument, objectArgument, pairArgument } from '../../arguments/json-arguments.ts';
import { oneLine } from '../../render/one-line.ts';
import { countArgument, showPage } from '../../render/paging.ts';
import { showResource } from '../../render/resource.ts';
import type { Column } from '../../render/table.ts';
import { confirmDeletion } from '../../terminal/confirm.ts';
import type { Context } from '../../terminal/context.ts';
import { usage } from '../../terminal/failure.ts';
import { collect } from '../../tracing/collect.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';

/** The maximum number of examples per request. */
const MAX_EXAMPLES_PER_REQUEST = 1_000;

const COLUMNS: readonly Column<ListedExample>[] = [
  { title: 'EXAMPLE', cell: ({ id = '' }) => id },
  { title: 'INPUTS', cell: ({ inputs }) => preview(inputs), flexible: true },
  { title: 'OUTPUTS', cell: ({ outputs }) => preview(outputs), flexible: true },
  { title: 'METADATA', cell: ({ metadata }) => preview(metadata), flexible: true },
];

interface ListOptions extends PlatformOptions {
  readonly asOf?: string;
  readonly split?: readonly string[];
  readonly metadata?: object;
  readonly search?: string;
  readonly limit: number;
  readonly all?: true;
}

export function listExamplesCommand(context: Context): Command {
  return new Command('examples')
    .description('list the examples of a dataset, in the current or an earlier version')
    .argument('<dataset>', 'name or ID')
    .option('--as-of <version>', 'version to read: a time or a tag')
    .option('--split <name>', 'only in this split, repeatable', listArgument)
    .option('--metadata <key=value>', 'only with this metadata, repeatable', pairArgument)
    .option('--search <words>', 'only with these words in inputs or outputs')
    .option('--limit <number>', 'maximum number of results', countArgument, 20)
    .option('--all', 'all results')
    .action((name: string, options: ListOptions) =>
      withPlatform(context, options, async (client) => {
        const dataset = await requireDataset(context, client, name);
        const { asOf, split, metadata, search } = options;
        const filter = {
          ...(asOf === undefined ? {} : { as_of: asOf }),
          ...(split === undefined ? {} : { splits: [...split] }),
          ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
          ...(search === undefined ? {} : { full_text_contains: search }),
        };
        const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
        const rows = await collect(
          listExamples(client, dataset.id, { filter, limit, signal: context.interrupted }),
        );
        showPage(context, { rows, total: undefined }, COLUMNS, {
          json: options.json,
          empty: 'No matching examples.',
        });
      }),
    );
}

interface AddOptions extends PlatformOptions {
  readonly inputs?: string;
  readonly outputs?: string;
  readonly run?: string;
  readonly metadata?: object;
  readonly split?: readonly string[];
}

export function addExample(context: Context): Command {
  return new Command('add')
    .description('add an example, new or from a run')
    .argument('<dataset>', 'name or ID')
    .option('--inputs <json>', 'inputs')
    .option('--outputs <json>', 'expected outputs')
    .option('--run <id>', 'use the inputs and outputs of this run')
    .option('--metadata <key=value>', 'metadata, repeatable', pairArgument)
    .option('--split <name>', 'split of the example, repeatable', listArgument)
    .action((name: string, options: AddOptions) => {
      const { inputs, outputs, run, metadata, split } = options;
      if ((inputs === undefined) === (run === undefined)) {
        throw usage('Pass either --inputs or --run.');
      }
      const runId = run === undefined ? undefined : idArgument('run', run);
      const body = {
        ...(inputs === undefined ? {} : { inputs: objectArgument('--inputs', inputs) }),
        ...(outputs === undefined ? {} : { outputs: objectArgument('--outputs', outputs) }),
        ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
        ...(split === undefined ? {} : { split: [...split] }),
      };
      return withPlatform(context, options, async (client) => {
        const { id } = await requireDataset(context, client, name);
        const source = runId === undefined ? undefined : await makeExampleOfRun(client, runId);
        if (source?.isResumed) {
          context.terminal.note(
            'This run answered an interrupt: its inputs are the answer. To add what the agent was asked, use the run that was interrupted.',
          );
        }
        const created = await client.examples.create({ body: { ...source?.body, ...body, dataset_id: id } });
        showResource(context, options, created);
      });
    });
}

export function deleteExamples(context: Context): Command {
  return new Command('delete-examples')
    .description('delete examples; earlier versions keep them unless --hard is given')
    .argument('<examples...>', 'example IDs')
    .option('--hard', 'permanently delete their content from all versions')
    .option('--yes', 'skip the confirmation')
    .action(
      async (ids: string[], options: PlatformOptions & { readonly hard?: true; readonly yes?: true }) => {
        const exampleIds = ids.map((id) => idArgument('example', id));
        const what = `${formatCount(exampleIds.length, 'example')}${options.hard ? ' permanently, from all versions' : ''}`;
        await confirmDeletion(context, options, what);
        await withPlatform(context, options, async ({ examples }) => {
          let count = 0;
          for (let at = 0; at < exampleIds.length; at += MAX_EXAMPLES_PER_REQUEST) {
            const body = {
              example_ids: exampleIds.slice(at, at + MAX_EXAMPLES_PER_REQUEST),
              hard_delete: options.hard === true,
            };
            count += (await examples.deleteBatch({ body })).count;
          }
          if (options.json) context.terminal.json({ count });
          else context.terminal.note(`Deleted ${formatCount(count, 'example')}.`);
        });
      },
    );
}

function preview(value: unknown): string {
  return value === null || value === undefined ? '' : oneLine(value);
}
