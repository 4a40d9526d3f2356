import * as vscode from 'vscode';
import { exampleUri } from '../examples/example-address.ts';
import { ExampleElement } from '../views/datasets.ts';
import { rowCommand } from './command.ts';

/** Opens an example of a dataset as a JSON document; saving it changes the example. */
export const openExample = rowCommand([ExampleElement], async (_parts, row) => {
  const { exampleId, label, parent } = row;
  const uri = exampleUri({ connection: parent.connection, exampleId }, parent.dataset.name, label);
  await vscode.window.showTextDocument(uri, { preview: true });
});
