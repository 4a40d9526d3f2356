import * as l10n from '@vscode/l10n';
import type { Dataset } from '../../contract/datasets/datasets.ts';
import { withoutRemoteReferences } from '../../contract/datasets/remote-references.ts';
import { isObject } from '../../process/objects.ts';

type Schema = Readonly<Record<string, unknown>>;
type Side = 'inputs' | 'outputs';

/** The schemas that a dataset has for its examples. */
export type ExampleSchemas = Readonly<
  Pick<Dataset, 'inputs_schema_definition' | 'outputs_schema_definition'>
>;

/** Whether a dataset has a schema to check its examples against. */
export function hasSchema({ inputs_schema_definition, outputs_schema_definition }: ExampleSchemas): boolean {
  return isObject(inputs_schema_definition) || isObject(outputs_schema_definition);
}

/**
 * The JSON schema of the documents of a dataset's examples. It refers to the dataset's own schemas as
 * separate documents, so that references inside them are resolved there.
 * @param urlOf returns the address of a side's schema
 */
export function exampleDocumentSchema(dataset: ExampleSchemas, urlOf: (side: Side) => string): Schema {
  const sideOf = (side: Side) => (definitionOf(dataset, side) === undefined ? {} : { $ref: urlOf(side) });
  return {
    type: 'object',
    additionalProperties: false,
    required: ['inputs'],
    properties: {
      $schema: { type: 'string' },
      inputs: {
        type: 'object',
        description: l10n.t('The inputs. Must match the schema of the dataset.'),
        allOf: [sideOf('inputs')],
      },
      outputs: {
        type: ['object', 'null'],
        description: l10n.t('The expected outputs. Must match the schema of the dataset.'),
        if: { type: 'object' },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: sideOf('outputs'),
      },
      metadata: { type: ['object', 'null'], description: l10n.t('Metadata to find the example by.') },
    },
  };
}

/**
 * A dataset's schema for a side of its examples, without references to other servers; undefined if it has
 * none.
 */
export function definitionOf(dataset: ExampleSchemas, side: Side): Schema | undefined {
  const definition = withoutRemoteReferences(dataset[`${side}_schema_definition`]);
  return isObject(definition) ? definition : undefined;
}
