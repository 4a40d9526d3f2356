import type * as vscode from 'vscode';

/** Where VS Code finds what the documents of examples are checked against. */
export const EXAMPLE_SCHEMA_AUTHORITY = 'example-schema';

/** Which dataset a schema is of, and of which part of its examples; of whole documents when there is none. */
export interface ExampleSchemaAddress {
  /** The id of the connection whose platform has the dataset. */
  readonly connection: string;
  readonly datasetId: string;
  readonly side?: 'inputs' | 'outputs' | undefined;
}

/** The address says all that it takes to read the schema, so that it works after a restart of the window. */
export function exampleSchemaUrl({ connection, datasetId, side }: ExampleSchemaAddress): string {
  const file = side === undefined ? 'example' : side;
  return `agent-harbor://${EXAMPLE_SCHEMA_AUTHORITY}/${connection}/${datasetId}/${file}.json`;
}

export function exampleSchemaAddressOf({ path }: vscode.Uri): ExampleSchemaAddress {
  const [, connection = '', datasetId = '', file = ''] = path.split('/');
  const name = file.replace(/\.json$/, '');
  return { connection, datasetId, side: name === 'inputs' || name === 'outputs' ? name : undefined };
}
