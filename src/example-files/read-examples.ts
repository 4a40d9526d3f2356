import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import Papa from 'papaparse';
import { z } from 'zod';
import type { NewExample } from '../client/examples.ts';
import { withoutApostrophe } from '../contract/datasets/csv-cells.ts';
import { JsonObject } from '../contract/fields.ts';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { readAdk } from './adk.ts';
import { ExampleFileError } from './example-file-error.ts';
import type { FileExample } from './file-example.ts';
import type { ExampleFormat } from './format.ts';
import { readInspect } from './inspect.ts';
import { readPromptfoo } from './promptfoo.ts';
import { checkDepth, withoutByteOrderMark } from './read-document.ts';

/** The columns of a row that are inputs, outputs and metadata of its example. */
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

type Whole = z.output<typeof Fields>;

export interface ReadOptions {
  readonly format: ExampleFormat;
  /** Empty for rows that say themselves which columns are inputs. */
  readonly columns: ExampleColumns;
  /** Whether examples keep the IDs that they have in the file. */
  readonly keepIds: boolean;
}

/**
 * Reads the examples of a file one by one. JSON lines are either whole examples, as `datasets export` writes them, or
 * flat rows. CSV has the columns that `options` name, or `input.<key>`, `output.<key>` and `metadata` as in an export.
 * Fields of a tool's format that examples do not have are kept in the metadata, so that an export restores them.
 * @throws ExampleFileError while iterating, which names the invalid row
 */
export async function* readExamples(
  source: Readable,
  options: ReadOptions,
): AsyncGenerator<Omit<NewExample, 'dataset_id'>, void, undefined> {
  for await (const { id, split, ...example } of readFileExamples(source, options)) {
    yield {
      ...example,
      ...(split !== undefined && { split }),
      ...(options.keepIds && id !== undefined && { id }),
    };
  }
}

async function* readFileExamples(
  source: Readable,
  options: ReadOptions,
): AsyncGenerator<FileExample, void, undefined> {
  switch (options.format) {
    case 'csv':
      yield* readRows(readCsvRows(source), options);
      return;
    case 'jsonl':
      yield* readRows(readJsonRows(source), options);
      return;
    case 'promptfoo':
      yield* readPromptfoo(await text(source));
      return;
    case 'adk':
      yield* readAdk(await text(source));
      return;
    case 'inspect':
      yield* readInspect(await text(source));
  }
}

async function* readRows(
  rows: AsyncIterable<Row>,
  options: ReadOptions,
): AsyncGenerator<FileExample, void, undefined> {
  let at = 0;
  for await (const row of rows) {
    at++;
    const whole = wholeExample(row, options.columns, at);
    const { inputs, outputs, metadata } = whole ?? fromRow(row, options, at);
    yield {
      inputs,
      outputs: outputs ?? null,
      metadata: metadata ?? null,
      ...(whole?.split == null ? {} : { split: whole.split }),
      ...(whole?.id === undefined ? {} : { id: whole.id }),
    };
  }
}

/**
 * Reads a row that is a whole example.
 * @returns undefined for a flat row
 * @throws ExampleFileError for a whole example with a wrong field, unless columns are named
 */
function wholeExample(row: Row, { inputs = [] }: ExampleColumns, at: number): Whole | undefined {
  const read = Fields.safeParse(row);
  if (read.success) return read.data;
  const isFlat = inputs.length > 0 || !JsonObject.safeParse(row.inputs).success;
  if (isFlat) return undefined;
  const [issue] = read.error.issues;
  throw new ExampleFileError(`Row ${at}: ${issue?.path.join('.')}: ${issue?.message}.`, { isUsage: true });
}

type Row = Record<string, unknown>;

async function* readCsvRows(source: Readable): AsyncGenerator<Row, void, undefined> {
  const parser = Papa.parse(Papa.NODE_STREAM_INPUT, {
    header: true,
    skipEmptyLines: 'greedy',
    transform: withoutApostrophe,
  });
  source.on('error', (error) => parser.destroy(error));
  let isEmpty = true;
  for await (const row of source.pipe(parser)) {
    isEmpty = false;
    yield Row.parse(row);
  }
  if (isEmpty) {
    throw new ExampleFileError(
      'The file has no rows. It needs a line of column names and a line for each example; each quote must be closed.',
    );
  }
}

const Row = z.record(z.string(), z.unknown());

async function* readJsonRows(source: Readable): AsyncGenerator<Row, void, undefined> {
  let at = 0;
  for await (const text of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
    at++;
    const line = at === 1 ? withoutByteOrderMark(text) : text;
    if (line.trim() === '') continue;
    const row = Row.safeParse(jsonOrUndefined(line)).data;
    if (row === undefined) throw new ExampleFileError(`Line ${at} is not a JSON object.`);
    checkDepth(row, `Line ${at}`);
    yield row;
  }
}

function fromRow(row: Row, options: Pick<ReadOptions, 'format' | 'columns'>, at: number) {
  const { inputs = [], outputs = [], metadata = [] } = options.columns;
  if (inputs.length === 0) return fromExported(row, at);
  // Rows of JSON may omit outputs and metadata, but a missing CSV column is a misspelled name.
  for (const key of options.format === 'csv' ? [...inputs, ...outputs, ...metadata] : inputs) {
    if (!(key in row))
      throw new ExampleFileError(`Row ${at} has no '${key}'; it has ${Object.keys(row).join(', ')}.`);
  }
  return {
    inputs: pick(row, inputs),
    outputs: outputs.length === 0 ? null : pick(row, outputs),
    metadata: metadata.length === 0 ? null : pick(row, metadata),
  };
}

/** Makes an example from the columns of an exported CSV file. */
function fromExported(row: Row, at: number) {
  const inputs = withPrefix(row, 'input.');
  if (Object.keys(inputs).length === 0) {
    const wayOut = isSample(row)
      ? 'Read samples of Inspect with --format inspect.'
      : 'Name the columns with --inputs and --outputs.';
    const given = Object.keys(row).join(', ');
    throw new ExampleFileError(`Row ${at} has no inputs; it has ${given}. ${wayOut}`, { isUsage: true });
  }
  const outputs = withPrefix(row, 'output.');
  const metadata = metadataOf(row.metadata, at);
  return { inputs, outputs: Object.keys(outputs).length === 0 ? null : outputs, metadata };
}

/** @throws ExampleFileError for a cell that is neither empty nor a JSON object */
function metadataOf(cell: unknown, at: number): z.output<typeof JsonObject> | null {
  if (cell === undefined || cell === null || cell === '') return null;
  const metadata = JsonObject.safeParse(jsonOrText(cell)).data;
  if (metadata !== undefined) return metadata;
  throw new ExampleFileError(
    `Row ${at}: metadata must be a JSON object. If it is a column of yours, name the columns with --inputs, --outputs and --metadata.`,
    { isUsage: true },
  );
}

/** Whether a row is a sample of Inspect. Such files end in `.jsonl` too. */
function isSample(row: Row): boolean {
  return 'input' in row && 'target' in row;
}

function withPrefix(row: Row, prefix: string): Row {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([key, value]) => key.startsWith(prefix) && value !== '')
      .map(([key, value]) => [key.slice(prefix.length), jsonOrText(value)]),
  );
}

/** Parses a cell that is an object or a list, which exports write as JSON. Any other cell is text. */
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
