import * as l10n from '@vscode/l10n';
import type { GraphSchemas } from '../../contract/agent-server/assistants.ts';
import { isObject } from '../../process/objects.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The JSON schema of an assistant's document, with the graph's own schemas for its context and configuration.
 */
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
        ...contextSchema(context ?? { type: 'object' }),
        description: l10n.t('The context for each run. Must match the context schema of the graph.'),
      },
      config: {
        type: 'object',
        description: l10n.t('Configuration for the runs of this assistant.'),
        properties: {
          configurable: configurable ?? { type: 'object' },
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

/**
 * The schema of an assistant's context: no property is required, because a run may add to the context. Nested
 * properties with a default are optional too, although output schemas list them as required.
 */
function contextSchema({ required: _, ...schema }: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' ? nestedDefaultsOptional(value) : value,
    ]),
  );
}

/** The schemas of properties, in which nested properties with a default are optional. */
function nestedDefaultsOptional(properties: unknown): unknown {
  if (!isObject(properties)) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) ? defaultsOptional(property) : property,
    ]),
  );
}

/** A schema in which properties with a default are optional, at every depth. */
function defaultsOptional(schema: Schema): Schema {
  const { required, properties } = schema;
  const own = isObject(properties) ? properties : {};
  const hasDefault = (name: unknown) => {
    const property = typeof name === 'string' ? own[name] : undefined;
    return isObject(property) && 'default' in property;
  };
  return {
    ...schema,
    ...(isObject(properties) && { properties: nestedDefaultsOptional(properties) }),
    ...(Array.isArray(required) && { required: required.filter((name) => !hasDefault(name)) }),
  };
}

/** The schemas that a schema refers to, by name; empty if it has none. */
function definitions(schema: Schema | undefined, key: '$defs' | 'definitions'): Schema {
  const found = schema?.[key];
  return isObject(found) ? found : {};
}
