import { z } from 'zod';
import { JsonObject } from '../contract/fields.ts';
import { ExampleFileError } from './example-file-error.ts';
import type { FileExample } from './file-example.ts';
import type { ExampleFormat } from './format.ts';
import type { Row } from './read-rows.ts';

/** The columns of a row that are inputs, outputs and metadata of its example. */
export interface ExampleColumns {
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly metadata?: readonly string[];
}

export interface RowOptions {
  readonly format: ExampleFormat;
  /** Empty for rows that say themselves which columns are inputs. */
  readonly columns: ExampleColumns;
}

const WholeExample = z.looseObject({
  id: z.string().optional(),
  inputs: JsonObject,
  outputs: JsonObject.nullish(),
  metadata: JsonObject.nullish(),
  split: z.union([z.string(), z.array(z.string())]).nullish(),
});

type WholeExample = z.output<typeof WholeExample>;

/**
 * Makes an example from a row, which is a whole example or a flat row.
 * @param at the number of the row, for errors
 * @throws ExampleFileError
 */
export function exampleOfRow(row: Row, options: RowOptions, at: number): FileExample {
  const whole = wholeExample(row, options.columns, at);
  const { inputs, outputs, metadata } = whole ?? fromRow(row, options, at);
  return {
    inputs,
    outputs: outputs ?? null,
    metadata: metadata ?? null,
    ...(whole?.split == null ? {} : { split: whole.split }),
    ...(whole?.id === undefined ? {} : { id: whole.id }),
  };
}

/**
 * Reads a row that is a whole example.
 * @returns undefined for a flat row
 * @throws ExampleFileError for a whole example with a wrong field, unless columns are named
 */
function wholeExample(row: Row, { inputs = [] }: ExampleColumns, at: number): WholeExample | undefined {
  const read = WholeExample.safeParse(row);
  if (read.success) return read.data;
  const isFlat = inputs.length > 0 || !JsonObject.safeParse(row.inputs).success;
  if (isFlat) return undefined;
  const [issue] = read.error.issues;
  throw new ExampleFileError(`Row ${at}: ${issue?.path.join('.')}: ${issue?.message}.`, { isUsage: true });
}

/** Makes an example from a flat row: by the named columns, or else by those of an exported CSV file. */
function fromRow(row: Row, options: RowOptions, at: number) {
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
