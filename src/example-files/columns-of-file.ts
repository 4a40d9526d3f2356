import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import Papa from 'papaparse';
import { z } from 'zod';
import { jsonOrUndefined } from '../process/json-or-undefined.ts';
import type { ExampleFormat } from './format.ts';
import { withoutByteOrderMark } from './read-document.ts';

const Row = z.record(z.string(), z.unknown());

/**
 * Reads the names of columns of a file, so that they can be assigned to inputs and outputs.
 * @param open reads the file from its beginning
 * @returns undefined when the file already says which columns are inputs, or its format has no columns; empty when its
 * first line is not a JSON object
 */
export async function columnsOfFile(
  open: () => Readable,
  format: ExampleFormat,
): Promise<readonly string[] | undefined> {
  if (format !== 'csv' && format !== 'jsonl') return undefined;
  const line = await firstLine(open());
  if (format === 'csv') {
    const [columns = []] = Papa.parse<string[]>(line).data;
    return columns.some((column) => column.startsWith('input.')) ? undefined : columns;
  }
  const row = Row.safeParse(jsonOrUndefined(line)).data ?? {};
  return 'inputs' in row ? undefined : Object.keys(row);
}

async function firstLine(source: Readable): Promise<string> {
  const lines = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) if (line.trim() !== '') return withoutByteOrderMark(line);
    return '';
  } finally {
    lines.close();
    source.destroy();
  }
}
