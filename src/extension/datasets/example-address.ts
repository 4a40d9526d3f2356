import * as vscode from 'vscode';
import { segment } from '../documents/address-segments.ts';

export const EXAMPLE_SCHEME = 'agent-harbor-example';
/** The label is cut to this many characters, because it only names the editor. */
const MAX_LABEL_LENGTH = 60;

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
 * @param dataset the name of the dataset
 * @param label names the example in the editor's title
 */
export function exampleUri(
  { connection, exampleId, datasetId }: ExampleAddress,
  dataset: string,
  label: string,
): vscode.Uri {
  return vscode.Uri.from({
    scheme: EXAMPLE_SCHEME,
    path: `/${segment(dataset)}/${segment(label.slice(0, MAX_LABEL_LENGTH))}.json`,
    query: new URLSearchParams({
      connection,
      example: exampleId,
      ...(datasetId !== undefined && { dataset: datasetId }),
    }).toString(),
  });
}

/** The reverse of {@link exampleUri}. If parameters are missing, the ID of the connection is empty. */
export function exampleAddressOf(uri: vscode.Uri): ExampleAddress {
  const query = new URLSearchParams(uri.query);
  const datasetId = query.get('dataset');
  return {
    connection: query.get('connection') ?? '',
    exampleId: query.get('example') ?? '',
    ...(datasetId !== null && { datasetId }),
  };
}
