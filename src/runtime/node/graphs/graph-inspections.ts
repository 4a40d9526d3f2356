import type {
  GraphDiagram,
  GraphDrawParams,
  GraphLocations,
  GraphParams,
  GraphReducers,
  GraphSchemas,
  GraphSubgraphs,
  GraphSubgraphsParams,
  JsonObject,
} from '../../protocol/protocol.ts';
import { contextOf, graphConfig } from '../context/run-config.ts';
import { type GraphChannel, isRecord } from '../langgraph-types.ts';
import { toWire } from '../link/wire-format.ts';
import { readGraphSchemas } from '../schemas/schemas.ts';
import { StaticSchemas } from '../schemas/static-schemas.ts';
import { locateGraph } from './graph-locations.ts';
import type { GraphRegistry, OpenGraph } from './graph-registry.ts';

/** Answers requests about graphs without running them. */
export class GraphInspections {
  readonly #graphs: GraphRegistry;
  readonly #staticSchemas: StaticSchemas;

  /** @param note called with the reason when a schema cannot be determined. */
  constructor(graphs: GraphRegistry, note: (message: string) => void) {
    this.#graphs = graphs;
    this.#staticSchemas = new StaticSchemas(() => graphs.entries(), note);
  }

  async readSchemas(params: GraphParams): Promise<GraphSchemas> {
    const { graph, langgraph } = await this.#open(params);
    const readTypes = () => this.#staticSchemas.of(params.graph_id);
    return { graph_id: params.graph_id, ...(await readGraphSchemas(graph, langgraph, readTypes)) };
  }

  /**
   * The names of the reducers of the state's keys. Without a reducer, a write replaces the value of a key.
   */
  async listReducers(params: GraphParams): Promise<GraphReducers> {
    const { graph } = await this.#open(params);
    const keys = [graph.streamChannelsAsIs].flat();
    const named = keys.map((key) => [key, reducerName(graph.channels[key])] as const);
    return Object.fromEntries(named.flatMap(([key, name]) => (name === undefined ? [] : [[key, name]])));
  }

  async draw(params: GraphDrawParams): Promise<GraphDiagram> {
    const { graph } = await this.#open(params);
    const diagram = await graph.getGraphAsync({ ...graphConfig(params.config), xray: params.xray });
    const { nodes, edges } = diagram.toJSON();
    return { nodes: nodes.map(toObject), edges: edges.map(toObject) };
  }

  async listSubgraphs(params: GraphSubgraphsParams): Promise<GraphSubgraphs> {
    const { graph, langgraph } = await this.#open(params);
    const found: GraphSubgraphs = {};
    for await (const [name, subgraph] of graph.getSubgraphsAsync(params.namespace, params.recurse)) {
      const node = name.split('|').at(-1) ?? name;
      const keys = [subgraph.streamChannelsAsIs].flat();
      const readTypes = () => this.#staticSchemas.ofSubgraph(params.graph_id, node, keys);
      found[name] = {
        graph_id: params.graph_id,
        ...(await readGraphSchemas(subgraph, langgraph, readTypes)),
      };
    }
    return found;
  }

  async locateGraph(params: GraphParams): Promise<GraphLocations> {
    const { graph, entry } = await this.#open(params);
    return locateGraph(graph, entry);
  }

  #open({ graph_id, config, context }: GraphParams): Promise<OpenGraph> {
    return this.#graphs.open(
      graph_id,
      { configurable: {}, ...graphConfig(config), context: contextOf(context, config) },
      { accessContext: 'assistants.read', executionRuntime: null },
    );
  }
}

/** Names that JavaScript gives to inline functions, after the options whose values they are. */
const NO_NAMES = new Set(['reducer', 'fn', 'default']);

/** The name of a channel's reducer: undefined without a reducer, an empty text for one without a name. */
function reducerName(channel: GraphChannel | undefined): string | undefined {
  if (channel === undefined || /^(LastValue|Ephemeral|Untracked|AnyValue)/.test(channel.lc_graph_name ?? ''))
    return undefined;
  const operator = 'operator' in channel ? channel.operator : undefined;
  if (typeof operator !== 'function') return channel.lc_graph_name ?? '';
  return NO_NAMES.has(operator.name) ? '' : operator.name;
}

function toObject(value: object): JsonObject {
  const wired = toWire(value);
  return isRecord(wired) ? wired : {};
}
