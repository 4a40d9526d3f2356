import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import Papa from 'papaparse';
import { z } from 'zod';
import type { ListedExample, NewExample } from '../../client/examples.ts';
import { withoutApostrophe } from '../../contract/datasets/csv-cells.ts';
import { JsonObject } from '../../contract/fields.ts';
import { Failure, usage } from '../failure.ts';

export type ExampleFormat = 'csv' | 'jsonl';

/** How columns or fields map to examples. */
export interface ExampleColumns {
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly metadata?: readonly string[];
}

const Fields = z.looseObject({
  id: z.string().optional(),
  inputs: JsonObject,
  outputs: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  split: z.union([z.string(), z.array(z.string())]).nullish(),
});

/** @throws Failure when the file name does not show the format. */
export function formatOf(file: string, format: ExampleFormat | undefined): ExampleFormat {
  if (format !== undefined) return format;
  if (/\.jsonl?$/i.test(file)) return 'jsonl';
  if (/\.csv$/i.test(file)) return 'csv';
  throw usage(`The format of '${file}' is unknown. Pass --format csv or --format jsonl.`);
}

/**
 * The examples of a file, one by one. JSON lines hold whole examples as `datasets export` writes them, or flat rows;
 * CSV has its columns named, or `input.<key>`, `output.<key>` and `metadata` as in an export.
 * @throws Failure while iterating, naming the row that is wrong.
 */
export async function* readExamples(
  source: Readable,
  options: {
    readonly format: ExampleFormat;
    readonly datasetId: string;
    readonly columns: ExampleColumns;
    readonly keepIds: boolean;
  },
): AsyncGenerator<NewExample, void, undefined> {
  const rows = options.format === 'csv' ? readCsvRows(source) : readJsonRows(source);
  let at = 0;
  for await (const row of rows) {
    at++;
    const whole = Fields.safeParse(row).data;
    const example = whole ?? fromRow(row, options, at);
    yield {
      dataset_id: options.datasetId,
      inputs: example.inputs,
      outputs: example.outputs ?? null,
      metadata: example.metadata ?? null,
      ...(whole?.split == null ? {} : { split: whole.split }),
      ...(options.keepIds && whole?.id !== undefined ? { id: whole.id } : {}),
    };
  }
}

export function openFile(file: string, stdin: NodeJS.ReadStream): Readable {
  return file === '-' ? stdin : createReadStream(file);
}

/** An example as a line of JSON, to be read by `readExamples`. */
export function exampleLine({ id, inputs, outputs, metadata }: ListedExample): string {
  return JSON.stringify({ id, inputs, outputs, metadata });
}

type Row = Record<string, unknown>;

async function* readCsvRows(source: Readable): AsyncGenerator<Row, void, undefined> {
  const parser = Papa.parse(Papa.NODE_STREAM_INPUT, {
    header: true,
    skipEmptyLines: 'greedy',
    transform: withoutApostrophe,
  });
  source.on('error', (error) => parser.destroy(error));
  for await (const row of source.pipe(parser)) yield Row.parse(row);
}

const Row = z.record(z.string(), z.unknown());

async function* readJsonRows(source: Readable): AsyncGenerator<Row, void, undefined> {
  let at = 0;
  for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    at++;
    if (line.trim() === '') continue;
    try {
      yield Row.parse(JSON.parse(line));
    } catch {
      throw new Failure(`Line ${at} is not a JSON object.`);
    }
  }
}

function fromRow(row: Row, options: { format: ExampleFormat; columns: ExampleColumns }, at: number) {
  const { inputs = [], outputs = [], metadata = [] } = options.columns;
  if (inputs.length === 0) return fromExported(row, at);
  // JSON rows may omit fields, but a missing CSV column is a misspelled name.
  for (const key of options.format === 'csv' ? [...inputs, ...outputs, ...metadata] : inputs) {
    if (!(key in row)) throw new Failure(`Row ${at} has no '${key}'; it has ${Object.keys(row).join(', ')}.`);
  }
  return {
    inputs: pick(row, inputs),
    outputs: outputs.length === 0 ? null : pick(row, outputs),
    metadata: metadata.length === 0 ? null : pick(row, metadata),
  };
}

/** A row of an exported CSV file. */
function fromExported(row: Row, at: number) {
  const inputs = withPrefix(row, 'input.');
  if (Object.keys(inputs).length === 0) {
    throw usage(`Row ${at} has no inputs. Name the columns with --inputs and --outputs.`);
  }
  const outputs = withPrefix(row, 'output.');
  const metadata = JsonObject.safeParse(jsonOrText(row.metadata)).data ?? null;
  return { inputs, outputs: Object.keys(outputs).length === 0 ? null : outputs, metadata };
}

function withPrefix(row: Row, prefix: string): Row {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([key, value]) => key.startsWith(prefix) && value !== '')
      .map(([key, value]) => [key.slice(prefix.length), jsonOrText(value)]),
  );
}

/** Objects and lists are exported as JSON; everything else is text. */
function jsonOrText(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function pick(row: Row, keys: readonly string[]): Row {
  return Object.fromEntries(keys.filter((key) => key in row).map((key) => [key, row[key]]));
}
