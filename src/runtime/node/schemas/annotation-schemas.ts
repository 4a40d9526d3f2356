import type { JsonObject } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { type Graph, isRecord } from '../langgraph-types.ts';

/** The schemas of a graph, derived from its code; null where they cannot be derived. */
export interface DerivedSchemas {
  readonly input: JsonObject | null;
  readonly output: JsonObject | null;
  readonly state: JsonObject | null;
  readonly context: JsonObject | null;
}

/** The schema with which LangGraph's zod utilities mark a list of messages. */
export const MESSAGES_SCHEMA: JsonObject = {
  type: 'array',
  items: { type: 'object' },
  langgraph_type: 'messages',
};

/** Derives the schemas of a graph made with `Annotation` from its keys, reducers and defaults. */
export async function deriveSchemas(graph: Graph, langgraph: UserLangGraph): Promise<DerivedSchemas> {
  const { builder } = graph;
  if (!isRecord(builder)) return { input: null, output: null, state: null, context: null };
  const { messagesStateReducer } = await langgraph.importModule('@langchain/langgraph');
  const derive = (definition: unknown) => schemaOf(definition, messagesStateReducer);
  const config = builder._configSchema;
  return {
    input: derive(builder._inputDefinition),
    output: derive(builder._outputDefinition),
    state: derive(builder._schemaDefinition),
    context: config === undefined ? null : derive(config),
  };
}

function schemaOf(definition: unknown, messagesReducer: unknown): JsonObject | null {
  if (!isRecord(definition)) return null;
  const properties: JsonObject = {};
  for (const [key, made] of Object.entries(definition)) {
    // A channel, or the function that makes one.
    const channel: unknown = typeof made === 'function' ? made() : made;
    properties[key] = isRecord(channel) ? channelSchema(channel, messagesReducer) : {};
  }
  return { type: 'object', properties };
}

function channelSchema(channel: Record<string, unknown>, messagesReducer: unknown): JsonObject {
  const reducer = channel.operator ?? channel.reducer;
  if (reducer !== undefined && reducer === messagesReducer) return MESSAGES_SCHEMA;
  const { initialValueFactory } = channel;
  if (typeof initialValueFactory !== 'function') return {};
  try {
    return typeOf(initialValueFactory());
  } catch {
    // Without its default, nothing is known about the type.
    return {};
  }
}

function typeOf(value: unknown): JsonObject {
  if (Array.isArray(value)) return { type: 'array', default: value };
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
    return { type: typeof value, default: value };
  }
  return isRecord(value) ? { type: 'object' } : {};
}
