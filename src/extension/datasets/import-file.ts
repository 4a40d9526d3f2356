import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { addExamples } from '../../client/examples.ts';
import { columnsOfFile } from '../../example-files/columns-of-file.ts';
import type { ExampleColumns } from '../../example-files/example-of-row.ts';
import { formatOfName, nameOfFile } from '../../example-files/format.ts';
import { readExamples } from '../../example-files/read-examples.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { formatExampleCount } from '../wording/format.ts';
import { chooseDataset } from './choose-dataset.ts';
import { chooseFormat } from './choose-format.ts';
import type { DatasetRef } from './dataset-items.ts';

/**
 * Imports the examples of a file. Asks for the format, the columns and the dataset unless they are known.
 * @throws ExampleFileError that names the wrong row; RequestError. Examples that were added before stay.
 */
export async function importFile(client: Client, file: vscode.Uri, into?: DatasetRef): Promise<void> {
  const name = basename(file.fsPath);
  const format = formatOfName(name) ?? (await chooseFormat(vscode.l10n.t('Select the format of {0}', name)));
  if (format === undefined) return;
  const found = await columnsOfFile(() => createReadStream(file.fsPath), format);
  const columns = found === undefined ? {} : await chooseColumns(found);
  if (columns === undefined) return;
  const dataset = into ?? (await chooseDataset(client, nameOfFile(name)));
  if (dataset === undefined) return;
  const count = await withCancel(vscode.l10n.t('Importing {0}', name), (signal, report) => {
    const rows = readExamples(createReadStream(file.fsPath), { format, columns, keepIds: false });
    const onAdded = (added: number) => report(formatExampleCount(added));
    return addExamples(client, rows, { into: () => dataset.id, signal, onAdded });
  });
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Added {0} to {1}.', formatExampleCount(count), dataset.name),
  );
}

/**
 * Asks which columns are inputs, and which expected outputs.
 * @returns undefined when canceled, or if no column is chosen for the inputs
 */
async function chooseColumns(found: readonly string[]): Promise<ExampleColumns | undefined> {
  const items = found.map((label) => ({ label }));
  const ask = async (title: string, left: typeof items) => {
    if (left.length === 0) return [];
    const chosen = await vscode.window.showQuickPick(left, { title, canPickMany: true });
    return chosen?.map(({ label }) => label);
  };
  const inputs = await ask(vscode.l10n.t('Select the columns of the inputs'), items);
  if (inputs === undefined || inputs.length === 0) return undefined;
  const others = items.filter(({ label }) => !inputs.includes(label));
  const outputs = await ask(vscode.l10n.t('Select the columns of the expected outputs'), others);
  return outputs === undefined ? undefined : { inputs, outputs };
}
