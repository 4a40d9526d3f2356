import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import type { Client } from '../../../client/client.ts';
import { addExamples } from '../../../client/examples.ts';
import { findDataset } from '../../../client/find-dataset.ts';
import { ExampleFileError } from '../../../example-files/example-file-error.ts';
import type { ExampleColumns } from '../../../example-files/example-of-row.ts';
import { exportCsv } from '../../../example-files/export-csv.ts';
import { EXAMPLE_FORMATS, type ExampleFormat, formatOf, nameOfFile } from '../../../example-files/format.ts';
import { listFileExamples } from '../../../example-files/list-file-examples.ts';
import { readExamples } from '../../../example-files/read-examples.ts';
import { writeExamples } from '../../../example-files/write-examples.ts';
import { formatCount } from '../../../process/format-count.ts';
import { ifPresent } from '../../../process/if-present.ts';
import { listArgument } from '../../arguments/arguments.ts';
import type { Context } from '../../terminal/context.ts';
import { EXIT } from '../../terminal/exit-codes.ts';
import { Failure, usage } from '../../terminal/failure.ts';
import { writeOutput } from '../../terminal/write-output.ts';
import { type PlatformOptions, withPlatform } from '../../tracing/platform.ts';
import { requireDataset } from '../../tracing/require-dataset.ts';

function formatOption(): Option {
  return new Option('--format <format>', 'file format (default: by the file name)').choices([
    ...EXAMPLE_FORMATS,
  ]);
}

interface ImportOptions extends PlatformOptions, ExampleColumns {
  readonly name?: string;
  readonly format?: ExampleFormat;
  readonly keepIds?: true;
}

export function importDataset(context: Context): Command {
  return new Command('import')
    .description(
      'import examples from a file into a dataset, which is created if needed: CSV, JSON Lines, promptfoo tests, ADK eval sets, Inspect samples',
    )
    .argument('<file>', 'file; - reads standard input')
    .option('--name <dataset>', "the dataset (default: the file's name)")
    .option('--inputs <columns>', 'input columns, separated by commas', listArgument)
    .option('--outputs <columns>', 'output columns', listArgument)
    .option('--metadata <columns>', 'metadata columns', listArgument)
    .option('--keep-ids', 'keep the example IDs')
    .addOption(formatOption())
    .action(
      reportFiles(async (file: string, options: ImportOptions) => {
        const format = formatOf(file, options.format);
        const name = options.name ?? (file === '-' ? undefined : nameOfFile(basename(file)));
        if (name === undefined)
          throw usage('Pass --name with the name of the dataset, because standard input has no file name.');
        if (file !== '-' && !(await ifPresent(stat(file)))?.isFile()) {
          throw new Failure(`File not found: ${file}.`);
        }
        await withPlatform(context, options, async (client) => {
          const { interrupted: signal, terminal } = context;
          let found = await findDataset(client, name, { signal });
          // The dataset is created with the first examples, so an invalid file leaves none behind.
          const findOrCreate = async () =>
            (found ??= await client.datasets.create({ body: { name } }, { signal }));
          const rows = readExamples(file === '-' ? context.stdin : createReadStream(file), {
            format,
            columns: options,
            keepIds: options.keepIds === true,
          });
          const count = await addExamples(client, rows, {
            into: async () => (await findOrCreate()).id,
            signal,
            onAdded: (added) => terminal.note(`Added ${formatCount(added, 'example')}…`),
          });
          const dataset = await findOrCreate();
          if (options.json) terminal.json({ dataset_id: dataset.id, count });
          else terminal.note(`Added ${formatCount(count, 'example')} to '${dataset.name}' (${dataset.id}).`);
        });
      }),
    );
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
    .option('--as-of <version>', 'version to read: a time or a tag')
    .addOption(formatOption())
    .action(
      reportFiles((name: string, options: ExportOptions) =>
        withPlatform(context, options, async (client) => {
          const { output } = options;
          const format =
            output === undefined ? (options.format ?? 'jsonl') : formatOf(output, options.format);
          const { id, name: datasetName } = await requireDataset(context, client, name);
          const exported = { id, format, name: datasetName, asOf: options.asOf };
          const pieces = readPieces(context, client, exported);
          if (output === undefined) await context.terminal.data(pieces);
          else {
            await writeOutput(output, pieces);
            context.terminal.note(`Wrote ${output}.`);
          }
        }),
      ),
    );
}

interface Exported {
  readonly id: string;
  readonly name: string;
  readonly format: ExampleFormat;
  readonly asOf: string | undefined;
}

async function* readPieces(
  { interrupted: signal }: Context,
  client: Client,
  { id, name, format, asOf }: Exported,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  const version = asOf === undefined ? {} : { as_of: asOf };
  if (format === 'csv') yield await exportCsv(client, id, version, { signal });
  else yield* writeExamples(listFileExamples(client, id, { filter: version, signal }), { format, name });
}

/** Wraps an action so that an error about a file ends the command, and only its message is shown. */
function reportFiles<Arguments extends readonly unknown[]>(action: (...args: Arguments) => Promise<void>) {
  return async (...args: Arguments): Promise<void> => {
    try {
      await action(...args);
    } catch (error) {
      if (!(error instanceof ExampleFileError)) throw error;
      throw new Failure(error.message, error.isUsage ? EXIT.usage : EXIT.failed);
    }
  };
}
