import type * as vscode from 'vscode';

/** The authority of the addresses under which VS Code reads the schemas of examples' documents. */
export const EXAMPLE_SCHEMA_AUTHORITY = 'example-schema';

/** The dataset of a schema, and the part of examples that it describes; without `side`, whole documents. */
export interface ExampleSchemaAddress {
  /** The ID of the connection whose platform has the dataset. */
  readonly connection: string;
  readonly datasetId: string;
  readonly side?: 'inputs' | 'outputs' | undefined;
}

/**
 * The address of a schema. It contains everything needed to read the schema, so it works after a restart too.
 */
export function exampleSchemaUrl({ connection, datasetId, side }: ExampleSchemaAddress): string {
  return `agent-harbor://${EXAMPLE_SCHEMA_AUTHORITY}/${connection}/${datasetId}/${side ?? 'example'}.json`;
}

/** The reverse of {@link exampleSchemaUrl}. If parts of the path are missing, the IDs are empty. */
export function exampleSchemaAddressOf({ path }: vscode.Uri): ExampleSchemaAddress {
  const [, connection = '', datasetId = '', file = ''] = path.split('/');
  const name = file.replace(/\.json$/, '');
  return { connection, datasetId, side: name === 'inputs' || name === 'outputs' ? name : undefined };
}
