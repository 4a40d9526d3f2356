import type { GraphSchemas, JsonObject } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { type Graph, isRecord } from '../langgraph-types.ts';
import { type DerivedSchemas, deriveSchemas } from './annotation-schemas.ts';

type Schemas = Omit<GraphSchemas, 'graph_id'>;

/**
 * Reads the schemas of a graph: from the schemas that it was made with, such as zod's, with LangGraph's own
 * utilities; else from its TypeScript types, if the project has TypeScript; else from its annotations.
 * @param readTypes called if the schemas are incomplete without the types
 */
export async function readGraphSchemas(
  graph: Graph,
  langgraph: UserLangGraph,
  readTypes: () => Promise<DerivedSchemas | undefined>,
): Promise<Schemas> {
  const own = await readOwnSchemas(graph, langgraph);
  const isComplete = own.input !== null && own.output !== null && own.state !== null;
  const fromTypes = isComplete ? undefined : await readTypes();
  const derived = await deriveSchemas(graph, langgraph);
  const bestOf = (name: keyof DerivedSchemas) => own[name] ?? fromTypes?.[name] ?? derived[name];
  const context = bestOf('context');
  return {
    input_schema: bestOf('input'),
    output_schema: bestOf('output'),
    state_schema: bestOf('state'),
    // LangGraph for JavaScript does not distinguish the two.
    config_schema: context,
    context_schema: context,
  };
}

async function readOwnSchemas(graph: Graph, langgraph: UserLangGraph): Promise<DerivedSchemas> {
  const module = await langgraph.importModule('@langchain/langgraph/zod/schema');
  const read = (name: string): JsonObject | null => {
    const getSchema = module[name];
    if (typeof getSchema !== 'function') return null;
    try {
      const schema: unknown = getSchema(graph);
      return isRecord(schema) ? schema : null;
    } catch {
      // LangGraph fails for all keys if JSON Schema cannot express one of them, such as a date.
      return readByKey(graph, (view) => getSchema(view));
    }
  };
  return {
    input: read('getInputTypeSchema'),
    output: read('getOutputTypeSchema'),
    state: read('getStateTypeSchema'),
    context: read('getConfigTypeSchema'),
  };
}

/** The definitions of a builder that its schemas are read from. */
const DEFINITIONS = [
  '_schemaRuntimeDefinition',
  '_inputRuntimeDefinition',
  '_outputRuntimeDefinition',
  '_configRuntimeSchema',
];

/** Reads a schema key by key. A key that JSON Schema cannot express may have any value. */
function readByKey({ builder }: Graph, read: (graph: unknown) => unknown): JsonObject | null {
  if (!isRecord(builder)) return null;
  const keys = new Set(DEFINITIONS.flatMap((name) => Object.keys(shapeOf(builder[name]))));
  const properties: JsonObject = {};
  const required: unknown[] = [];
  for (const key of keys) {
    const picked = Object.fromEntries(DEFINITIONS.map((name) => [name, pickKey(builder[name], key)]));
    try {
      const schema = read({ builder: picked });
      if (!isRecord(schema) || !isRecord(schema.properties) || !(key in schema.properties)) continue;
      properties[key] = schema.properties[key];
      if (Array.isArray(schema.required)) required.push(...schema.required);
    } catch {
      properties[key] = {};
    }
  }
  if (Object.keys(properties).length === 0) return null;
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** LangGraph caches the result by schema, so each one-key schema is made only once. */
const picks = new WeakMap<object, Map<string, unknown>>();

/** The zod object with only one key; undefined when it has no such key. Anything else is unchanged. */
function pickKey(definition: unknown, key: string): unknown {
  if (!isRecord(definition) || typeof definition.pick !== 'function') return definition;
  if (!(key in shapeOf(definition))) return undefined;
  const known = picks.get(definition) ?? new Map<string, unknown>();
  picks.set(definition, known);
  if (!known.has(key)) known.set(key, definition.pick({ [key]: true }));
  return known.get(key);
}

function shapeOf(definition: unknown): object {
  return isRecord(definition) && isRecord(definition.shape) ? definition.shape : {};
}
