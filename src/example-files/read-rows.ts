import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import Papa from 'papaparse';
import { z } from 'zod';
import { withoutApostrophe } from '../contract/datasets/csv-cells.ts';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import { ExampleFileError } from './example-file-error.ts';
import { checkDepth, withoutByteOrderMark } from './read-document.ts';

const Row = z.record(z.string(), z.unknown());
/** A row of CSV by its columns, or a JSON object. */
export type Row = z.output<typeof Row>;

/** The member in which Papa Parse returns the fields of a row beyond the last column. */
const FIELDS_BEYOND = '__parsed_extra';

/**
 * Reads CSV with a line of column names.
 * @throws ExampleFileError while iterating, for a file without rows, and for a row with text beyond the last column
 */
export async function* readCsvRows(source: Readable): AsyncGenerator<Row, void, undefined> {
  const parser = Papa.parse(Papa.NODE_STREAM_INPUT, {
    header: true,
    skipEmptyLines: 'greedy',
    transform: withoutApostrophe,
  });
  source.on('error', (error) => parser.destroy(error));
  let count = 0;
  for await (const parsed of source.pipe(parser)) {
    count++;
    const { [FIELDS_BEYOND]: beyond, ...row } = Row.parse(parsed);
    // Spreadsheets may end a row with empty fields.
    if (Array.isArray(beyond) && beyond.some((field) => field !== '')) {
      throw new ExampleFileError(
        `Row ${count} has more fields than there are columns. Quote a field that contains a comma.`,
      );
    }
    yield row;
  }
  if (count === 0) {
    throw new ExampleFileError(
      'The file has no rows. It needs a line of column names and a line for each example; each quote must be closed.',
    );
  }
}

/** Reads JSON lines. @throws ExampleFileError while iterating, for a line that is not an object */
export async function* readJsonRows(source: Readable): AsyncGenerator<Row, void, undefined> {
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
