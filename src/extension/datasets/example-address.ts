import * as vscode from 'vscode';
import { segment } from '../documents/read-only-documents.ts';

export const EXAMPLE_SCHEME = 'agent-harbor-example';

/** The example that a document shows. */
export interface ExampleAddress {
  /** The ID of the connection whose platform has the example. */
  readonly connection: string;
  readonly exampleId: string;
  /** The dataset that a new example is added to when its document is saved for the first time. */
  readonly datasetId?: string;
}

/**
 * The address of an example's document. It contains all that is needed to restore the editor after a restart
 * of the window.
 */
export function exampleUri(
  { connection, exampleId, datasetId }: ExampleAddress,
  dataset: string,
  label: string,
): vscode.Uri {
  return vscode.Uri.from({
    scheme: EXAMPLE_SCHEME,
    path: `/${segment(dataset)}/${segment(label.slice(0, 60))}.json`,
    query: new URLSearchParams({
      connection,
      example: exampleId,
      ...(datasetId !== undefined && { dataset: datasetId }),
    }).toString(),
  });
}

/** The reverse of {@link exampleUri}. */
export function exampleAddressOf(uri: vscode.Uri): ExampleAddress {
  const query = new URLSearchParams(uri.query);
  const datasetId = query.get('dataset');
  return {
    connection: query.get('connection') ?? '',
    exampleId: query.get('example') ?? '',
    ...(datasetId !== null && { datasetId }),
  };
}
