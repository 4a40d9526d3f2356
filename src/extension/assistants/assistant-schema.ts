import type { GraphSchemas } from '../../contract/agent-server/assistants.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The JSON schema of an assistant's document, with the graph's own schemas for what it can be told. */
export function documentSchema(schemas: GraphSchemas): Schema {
  const context = schemas.context_schema ?? undefined;
  const configurable = schemas.config_schema ?? undefined;
  return {
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      $schema: { type: 'string' },
      name: { type: 'string', minLength: 1, description: 'How people tell it from others.' },
      description: { type: ['string', 'null'], description: 'What it is for.' },
      context: {
        ...(context ?? { type: 'object' }),
        description: 'What the graph is told with every run, checked against its context schema.',
      },
      config: {
        type: 'object',
        description: 'How runs are carried out.',
        properties: {
          configurable: { ...(configurable ?? { type: 'object' }) },
          recursion_limit: {
            type: 'integer',
            minimum: 1,
            description: 'How many supersteps a run may take.',
          },
          tags: { type: 'array', items: { type: 'string' }, description: 'Tags on the traces of its runs.' },
        },
      },
      metadata: {
        type: 'object',
        description:
          'Your own notes, to find it by. They are merged with those it has: a key that is left out here stays.',
      },
    },
    // What the graph's schemas refer to is looked for at the root.
    $defs: { ...definitions(configurable, '$defs'), ...definitions(context, '$defs') },
    definitions: { ...definitions(configurable, 'definitions'), ...definitions(context, 'definitions') },
  };
}

function definitions(schema: Schema | undefined, key: '$defs' | 'definitions'): Schema {
  const found = schema?.[key];
  return typeof found === 'object' && found !== null ? { ...found } : {};
}
