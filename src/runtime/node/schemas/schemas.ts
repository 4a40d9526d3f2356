import type { GraphSchemas, JsonObject } from '../../protocol/protocol.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { type Graph, isRecord } from '../langgraph-types.ts';
import { type DerivedSchemas, deriveSchemas } from './annotation-schemas.ts';

type Schemas = Omit<GraphSchemas, 'graph_id'>;

/**
 * The schemas of a graph. Schemas it was made with (zod and the like) come first, through LangGraph's own utilities;
 * then its TypeScript types, when the project has TypeScript; then what its annotations give away.
 *
 * @param typed reads the types; absent for subgraphs, which have no names of their own
 */
export async function readGraphSchemas(
  graph: Graph,
  langgraph: UserLangGraph,
  typed?: () => Promise<DerivedSchemas | undefined>,
): Promise<Schemas> {
  const own = await readOwnSchemas(graph, langgraph);
  const complete = own.input !== null && own.output !== null && own.state !== null;
  const fromTypes = complete ? undefined : await typed?.();
  const derived = await deriveSchemas(graph, langgraph);
  const pick = (name: keyof DerivedSchemas) => own[name] ?? fromTypes?.[name] ?? derived[name];
  const context = pick('context');
  return {
    input_schema: pick('input'),
    output_schema: pick('output'),
    state_schema: pick('state'),
    // To LangGraph for JavaScript the two are one.
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
      // Parts that JSON schema cannot express (a transform, a custom check) are left open.
      return null;
    }
  };
  return {
    input: read('getInputTypeSchema'),
    output: read('getOutputTypeSchema'),
    state: read('getStateTypeSchema'),
    context: read('getConfigTypeSchema'),
  };
}
