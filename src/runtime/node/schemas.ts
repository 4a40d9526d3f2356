import type { GraphSchemas, JsonObject } from '../protocol/protocol.ts';
import { type Graph, isRecord } from './langgraph-types.ts';
import type { UserLangGraph } from './user-langgraph.ts';

type Schemas = Omit<GraphSchemas, 'graph_id'>;

/** The schemas that the graph's own definitions give: zod schemas and the like, through LangGraph's own utilities. */
export async function runtimeSchemas(graph: Graph, langgraph: UserLangGraph): Promise<Schemas> {
  const module = await langgraph.importModule('@langchain/langgraph/zod/schema');
  const read = (name: string): JsonObject | null => {
    const getSchema = module[name];
    if (typeof getSchema !== 'function') return null;
    const schema: unknown = getSchema(graph);
    return isRecord(schema) ? schema : null;
  };
  const config = read('getConfigTypeSchema');
  return {
    input_schema: read('getInputTypeSchema'),
    output_schema: read('getOutputTypeSchema'),
    state_schema: read('getStateTypeSchema'),
    config_schema: config,
    context_schema: config,
  };
}
