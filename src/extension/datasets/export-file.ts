import { Readable } from 'node:stream';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { exportCsv } from '../../example-files/export-csv.ts';
import type { ExampleFormat } from '../../example-files/format.ts';
import { listFileExamples } from '../../example-files/list-file-examples.ts';
import { writeExamples } from '../../example-files/write-examples.ts';
import { segment } from '../documents/address-segments.ts';
import { saveText } from '../documents/save-text.ts';
import { chooseFormat } from './choose-format.ts';
import type { ExampleFilter } from './dataset-choices.ts';
import type { DatasetRef } from './dataset-items.ts';

const ENDINGS: Readonly<Record<ExampleFormat, string>> = {
  csv: 'csv',
  jsonl: 'jsonl',
  promptfoo: 'yaml',
  adk: 'evalset.json',
  inspect: 'jsonl',
};

/**
 * Writes examples of a dataset to a file that the user chooses.
 * @throws ExampleFileError when the format cannot express them; RequestError
 */
export async function exportFile(client: Client, dataset: DatasetRef, filter: ExampleFilter): Promise<void> {
  const format = await chooseFormat(vscode.l10n.t('Select a format'));
  if (format === undefined) return;
  await saveText({
    title: vscode.l10n.t('Export {0}', dataset.name),
    fileName: `${segment(dataset.name)}.${ENDINGS[format]}`,
    read: (signal) => Readable.from(readPieces(client, dataset, { format, filter, signal })),
  });
}

interface ReadOptions {
  readonly format: ExampleFormat;
  readonly filter: ExampleFilter;
  readonly signal: AbortSignal;
}

async function* readPieces(
  client: Client,
  { id, name }: DatasetRef,
  { format, filter, signal }: ReadOptions,
): AsyncGenerator<string | Uint8Array, void, undefined> {
  if (format === 'csv') yield await exportCsv(client, id, filter, { signal });
  else yield* writeExamples(listFileExamples(client, id, { filter, signal }), { format, name });
}
