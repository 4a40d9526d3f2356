import * as vscode from 'vscode';
import { exampleUri } from '../../datasets/example-address.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { ExampleElement } from '../../views/datasets.ts';
import { rowCommand } from '../command.ts';

/**
 * Opens an example as a JSON document. Saving it changes the example; an example of an earlier version is
 * read-only.
 */
export const openExample = rowCommand(
  [ExampleElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    const { exampleId, label, parent, asOf } = row;
    if (asOf !== undefined) {
      const params = { example_id: exampleId };
      const example = await parent.client.examples.get({ params, query: { as_of: asOf } });
      const { inputs, outputs, metadata } = example;
      await documents.showValue(label, { inputs, outputs, metadata });
      return;
    }
    const uri = exampleUri({ connection: parent.connection, exampleId }, parent.dataset.name, label);
    await vscode.window.showTextDocument(uri, { preview: true });
  },
);
