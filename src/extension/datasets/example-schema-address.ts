import type * as vscode from 'vscode';

/** The address under which VS Code finds the schemas of the documents of examples. */
export const EXAMPLE_SCHEMA_AUTHORITY = 'example-schema';

/** The dataset of a schema, and the part of its examples that it describes; without one, whole documents. */
export interface ExampleSchemaAddress {
  /** The id of the connection whose platform has the dataset. */
  readonly connection: string;
  readonly datasetId: string;
  readonly side?: 'inputs' | 'outputs' | undefined;
}

/**
 * The address contains everything that is needed to read the schema, so that it works after a restart of the
 * window.
 */
export function exampleSchemaUrl({ connection, datasetId, side }: ExampleSchemaAddress): string {
  const file = side === undefined ? 'example' : side;
  return `agent-harbor://${EXAMPLE_SCHEMA_AUTHORITY}/${connection}/${datasetId}/${file}.json`;
}

export function exampleSchemaAddressOf({ path }: vscode.Uri): ExampleSchemaAddress {
  const [, connection = '', datasetId = '', file = ''] = path.split('/');
  const name = file.replace(/\.json$/, '');
  return { connection, datasetId, side: name === 'inputs' || name === 'outputs' ? name : undefined };
}
