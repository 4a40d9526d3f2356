import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Dataset } from '../../contract/datasets/datasets.ts';
import { exampleUri } from './example-address.ts';
import { exampleText } from './example-document.ts';
import { hasSchema } from './example-schema.ts';
import { exampleSchemaUrl } from './example-schema-address.ts';

/** Opens the document of an example that is added to the dataset when it is saved. */
export async function openNewExample(connection: string, dataset: Dataset): Promise<void> {
  const address = { connection, exampleId: randomUUID(), datasetId: dataset.id };
  const uri = exampleUri(address, dataset.name, vscode.l10n.t('New Example'));
  const editor = await vscode.window.showTextDocument(uri, { preview: false });
  const schemaUrl = hasSchema(dataset) ? exampleSchemaUrl(address) : undefined;
  const text = exampleText({ inputs: {}, outputs: {}, metadata: {} }, schemaUrl);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
  const inside = editor.document.positionAt(text.indexOf('"inputs": {') + '"inputs": {'.length);
  editor.selection = new vscode.Selection(inside, inside);
}
