import type { GraphSchemas } from '../../contract/agent-server/assistants.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON schema of a state's document: the graph's own schema for its values, of which a state may have some only.
 * @param nodes names of the graph's nodes
 */
export function stateDocumentSchema(schemas: GraphSchemas, nodes: readonly string[]): Schema {
  const { required: _, ...values } = schemas.state_schema ?? { type: 'object' };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['values'],
    properties: {
      $schema: { type: 'string' },
      as_node: {
        enum: [null, ...nodes],
        description:
          'As if this node had written what you change; the graph goes on after it. Null is the node that ran last.',
      },
      values: {
        ...values,
        description:
          'The state. Saving writes the properties that you change, through the reducers of the graph.',
      },
    },
    // What the graph's schema refers to is looked for at the root.
    $defs: values.$defs ?? {},
    definitions: values.definitions ?? {},
  };
}
