import * as l10n from '@vscode/l10n';
import type { GraphSchemas } from '../../contract/agent-server/assistants.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The JSON schema of an assistant's document, with the graph's own schemas for its context. */
export function documentSchema(schemas: GraphSchemas): Schema {
  const context = schemas.context_schema ?? undefined;
  const configurable = schemas.config_schema ?? undefined;
  return {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      $schema: { type: 'string' },
      name: { type: 'string', minLength: 1, description: l10n.t('The name of the assistant.') },
      description: { type: ['string', 'null'], description: l10n.t('A description of the assistant.') },
      context: {
        ...(context ?? { type: 'object' }),
        description: l10n.t('The context for each run. Must match the context schema of the graph.'),
      },
      config: {
        type: 'object',
        description: l10n.t('Configuration for the runs of this assistant.'),
        properties: {
          configurable: { ...(configurable ?? { type: 'object' }) },
          recursion_limit: {
            type: 'integer',
            minimum: 1,
            description: l10n.t('Maximum number of supersteps in a run.'),
          },
          tags: {
            type: 'array',
            items: { type: 'string' },
            description: l10n.t('Tags for the traces of its runs.'),
          },
        },
      },
      metadata: {
        type: 'object',
        description: l10n.t(
          'Metadata to find the assistant by. Merged with the existing metadata: omitted keys are kept.',
        ),
      },
    },
    // References in the graph's schemas are resolved from the root.
    $defs: { ...definitions(configurable, '$defs'), ...definitions(context, '$defs') },
    definitions: { ...definitions(configurable, 'definitions'), ...definitions(context, 'definitions') },
  };
}

function definitions(schema: Schema | undefined, key: '$defs' | 'definitions'): Schema {
  const found = schema?.[key];
  return typeof found === 'object' && found !== null ? { ...found } : {};
}
