import * as l10n from '@vscode/l10n';
import type { GraphSchemas } from '../../contract/agent-server/assistants.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON schema of a state's document. Its values have the graph's own schema, but none of them is
 * required.
 * @param nodes names of the graph's nodes; undefined if they are unknown
 */
export function stateDocumentSchema(schemas: GraphSchemas, nodes: readonly string[] | undefined): Schema {
  const { required: _, ...values } = schemas.state_schema ?? { type: 'object' };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['values'],
    properties: {
      $schema: { type: 'string' },
      as_node: {
        ...(nodes === undefined ? { type: ['string', 'null'] } : { enum: [null, ...nodes] }),
        description: l10n.t(
          'The node to update as. The graph continues after it. null means the last node that ran.',
        ),
      },
      values: {
        ...values,
        description: l10n.t(
          "The state. Saving writes only the properties you change, through the graph's reducers.",
        ),
      },
    },
    // References in the graph's schema are resolved from the root.
    $defs: values.$defs ?? {},
    definitions: values.definitions ?? {},
  };
}
