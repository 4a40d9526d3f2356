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
import { formatCount } from '../../render/format-count.ts';
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
  return new Option('--format <format>', 'file format (default: by the file name)').choices(['csv', 'jsonl']);
}

interface ImportOptions extends PlatformOptions, ExampleColumns {
  readonly name?: string;
  readonly format?: ExampleFormat;
  readonly keepIds?: true;
}

export function importDataset(context: Context): Command {
  return new Command('import')
    .description('import examples from a CSV or JSON Lines file into a dataset, which is created if needed')
    .argument('<file>', 'file; - reads standard input')
    .option('--name <dataset>', "the dataset (default: the file's name)")
    .option('--inputs <columns>', 'input columns, separated by commas', listArgument)
    .option('--outputs <columns>', 'output columns', listArgument)
    .option('--metadata <columns>', 'metadata columns', listArgument)
    .option('--keep-ids', 'keep the example IDs')
    .addOption(formatOption())
    .action(async (file: string, options: ImportOptions) => {
      const format = formatOf(file, options.format);
      const name = options.name ?? (file === '-' ? undefined : basename(file, extname(file)));
      if (name === undefined) throw new Failure('--name is required when reading standard input.', 2);
      if (file !== '-' && !(await stat(file).catch(() => undefined))?.isFile()) {
        throw new Failure(`File not found: ${file}.`);
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
          onAdded: (added) => terminal.note(`Added ${formatCount(added, 'example')}…`),
        });
        if (options.json) terminal.line(JSON.stringify({ dataset_id: dataset.id, count }));
        else terminal.note(`Added ${formatCount(count, 'example')} to '${dataset.name}' (${dataset.id}).`);
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
    .description('export the examples of a dataset to standard output or a file')
    .argument('<dataset>', 'name or ID')
    .option('--output <file>', 'file')
    .option('--as-of <version>', 'in the version of this time or tag')
    .addOption(formatOption())
    .action((name: string, options: ExportOptions) =>
      withPlatform(context, options, async (client) => {
        const { output } = options;
        const format = output === undefined ? (options.format ?? 'jsonl') : formatOf(output, options.format);
        const { id } = await datasetOf(context, client, name);
        const target = output === undefined ? process.stdout : createWriteStream(output);
        for await (const piece of readPieces(context, client, { id, format, asOf: options.asOf })) {
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

async function* readPieces(
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
