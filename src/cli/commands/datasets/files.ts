import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { finished } from 'node:stream/promises';
import { Command, Option } from 'commander';
import type { Client } from '../../../client/client.ts';
import { addExamples, listExamples } from '../../../client/examples.ts';
import { findDataset } from '../../../client/find-dataset.ts';
import { listArgument } from '../../arguments.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { counted } from '../../render/counted.ts';
import {
  type ExampleColumns,
  type ExampleFormat,
  exampleLine,
  formatOf,
  openFile,
  readExamples,
} from '../../tracing/example-files.ts';
import { datasetOf } from '../../tracing/find-dataset.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';

function formatOption(): Option {
  return new Option('--format <format>', "the file's format, where its name does not tell").choices([
    'csv',
    'jsonl',
  ]);
}

interface ImportOptions extends PlatformOptions, ExampleColumns {
  readonly name?: string;
  readonly format?: ExampleFormat;
  readonly keepIds?: true;
}

export function importDataset(context: Context): Command {
  return new Command('import')
    .description('add the examples of a CSV or JSON lines file to a dataset, which is made if need be')
    .argument('<file>', 'the file; - is standard input')
    .option('--name <dataset>', "the dataset (default: the file's name)")
    .option('--inputs <columns>', 'which columns are inputs, separated by commas', listArgument)
    .option('--outputs <columns>', 'which columns are outputs', listArgument)
    .option('--metadata <columns>', 'which columns are metadata', listArgument)
    .option('--keep-ids', "keep the examples' IDs")
    .addOption(formatOption())
    .action(async (file: string, options: ImportOptions) => {
      const format = formatOf(file, options.format);
      const name = options.name ?? (file === '-' ? undefined : basename(file, extname(file)));
      if (name === undefined) throw new Failure('Name the dataset with --name.', 2);
      if (file !== '-' && !(await stat(file).catch(() => undefined))?.isFile()) {
        throw new Failure(`There is no file ${file}.`);
      }
      await withPlatform(context, options, async (client) => {
        const { interrupted: signal, terminal } = context;
        const dataset =
          (await findDataset(client, name, { signal })) ??
          (await client.datasets.create({ body: { name } }, { signal }));
        const rows = readExamples(openFile(file, context.stdin), {
          format,
          datasetId: dataset.id,
          columns: options,
          keepIds: options.keepIds === true,
        });
        const count = await addExamples(client, rows, {
          signal,
          onAdded: (added) => terminal.note(`${counted(added, 'example')} …`),
        });
        if (options.json) terminal.line(JSON.stringify({ dataset_id: dataset.id, count }));
        else terminal.note(`Added ${counted(count, 'example')} to '${dataset.name}' (${dataset.id}).`);
      });
    });
}

interface ExportOptions extends PlatformOptions {
  readonly output?: string;
  readonly format?: ExampleFormat;
  readonly asOf?: string;
}

export function exportDataset(context: Context): Command {
  return new Command('export')
    .description('write the examples of a dataset to standard output or a file')
    .argument('<dataset>', 'its name or ID')
    .option('--output <file>', 'the file')
    .option('--as-of <version>', 'as they were at a time or at a tag')
    .addOption(formatOption())
    .action((name: string, options: ExportOptions) =>
      withPlatform(context, options, async (client) => {
        const { output } = options;
        const format = output === undefined ? (options.format ?? 'jsonl') : formatOf(output, options.format);
        const { id } = await datasetOf(context, client, name);
        const target = output === undefined ? process.stdout : createWriteStream(output);
        for await (const piece of pieces(context, client, { id, format, asOf: options.asOf })) {
          if (!target.write(piece)) await once(target, 'drain');
        }
        if (output !== undefined) {
          target.end();
          await finished(target);
          context.terminal.note(`Wrote ${output}.`);
        }
      }),
    );
}

async function* pieces(
  { interrupted: signal }: Context,
  client: Client,
  { id, format, asOf }: { id: string; format: ExampleFormat; asOf: string | undefined },
): AsyncGenerator<string | Uint8Array, void, undefined> {
  const version = asOf === undefined ? {} : { as_of: asOf };
  if (format === 'csv') {
    yield (await client.datasets.exportCsv({ params: { dataset_id: id }, query: version }, { signal })).bytes;
    return;
  }
  for await (const example of listExamples(client, id, { filter: version, signal })) {
    yield `${exampleLine(example)}\n`;
  }
}
