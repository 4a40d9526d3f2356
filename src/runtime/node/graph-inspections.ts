import type {
  GraphDrawing,
  GraphDrawParams,
  GraphLocations,
  GraphParams,
  GraphSchemas,
  GraphSubgraphs,
  GraphSubgraphsParams,
  JsonObject,
} from '../protocol/protocol.ts';
import { locateGraph } from './graph-locations.ts';
import type { GraphRegistry, OpenGraph } from './graph-registry.ts';
import { isRecord } from './langgraph-types.ts';
import { contextOf, graphConfig } from './run-config.ts';
import { graphSchemas } from './schemas.ts';
import { StaticSchemas } from './static-schemas.ts';
import { toWire } from './wire-format.ts';

/** What is known about a graph without running it. */
export class GraphInspections {
  readonly #graphs: GraphRegistry;
  readonly #staticSchemas: StaticSchemas;

  /** @param note is called with the reason when something about a graph cannot be found out. */
  constructor(graphs: GraphRegistry, note: (message: string) => void) {
    this.#graphs = graphs;
    this.#staticSchemas = new StaticSchemas(() => graphs.entries(), note);
  }

  async schemas(params: GraphParams): Promise<GraphSchemas> {
    const { graph, langgraph } = await this.#open(params);
    const typed = () => this.#staticSchemas.of(params.graph_id);
    return { graph_id: params.graph_id, ...(await graphSchemas(graph, langgraph, typed)) };
  }

  async draw(params: GraphDrawParams): Promise<GraphDrawing> {
    const { graph } = await this.#open(params);
    const drawing = await graph.getGraphAsync({ ...graphConfig(params.config), xray: params.xray });
    const { nodes, edges } = drawing.toJSON();
    return { nodes: nodes.map(toObject), edges: edges.map(toObject) };
  }

  async subgraphs(params: GraphSubgraphsParams): Promise<GraphSubgraphs> {
    const { graph, langgraph } = await this.#open(params);
    const found: GraphSubgraphs = {};
    for await (const [name, subgraph] of graph.getSubgraphsAsync(params.namespace, params.recurse)) {
      found[name] = { graph_id: params.graph_id, ...(await graphSchemas(subgraph, langgraph)) };
    }
    return found;
  }

  async locations(params: GraphParams): Promise<GraphLocations> {
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

function toObject(value: object): JsonObject {
  const wired = toWire(value);
  return isRecord(wired) ? wired : {};
}
