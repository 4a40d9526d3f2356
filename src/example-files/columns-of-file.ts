import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import Papa from 'papaparse';
import { z } from 'zod';
import type { ExampleFormat } from './format.ts';

const Row = z.record(z.string(), z.unknown());

/**
 * The columns of a file whose rows do not say which of them are inputs.
 * @param open reads the file from its beginning
 * @returns undefined for a file of whole examples
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
  const row = Row.safeParse(jsonOf(line)).data ?? {};
  return 'inputs' in row ? undefined : Object.keys(row);
}

async function firstLine(source: Readable): Promise<string> {
  const lines = createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) if (line.trim() !== '') return line;
    return '';
  } finally {
    lines.close();
    source.destroy();
  }
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
