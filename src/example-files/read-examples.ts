import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { NewExample } from '../client/examples.ts';
import { readAdk } from './adk.ts';
import { exampleOfRow, type RowOptions } from './example-of-row.ts';
import type { FileExample } from './file-example.ts';
import { readInspect } from './inspect.ts';
import { readPromptfoo } from './promptfoo.ts';
import { type Row, readCsvRows, readJsonRows } from './read-rows.ts';

export interface ReadOptions extends RowOptions {
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
      yield* examplesOfRows(readCsvRows(source), options);
      return;
    case 'jsonl':
      yield* examplesOfRows(readJsonRows(source), options);
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

async function* examplesOfRows(
  rows: AsyncIterable<Row>,
  options: ReadOptions,
): AsyncGenerator<FileExample, void, undefined> {
  let at = 0;
  for await (const row of rows) {
    at++;
    yield exampleOfRow(row, options, at);
  }
}
