import type { BaseStore } from '@langchain/langgraph';
import type { GraphStatus, InitializeParams } from '../protocol/protocol.ts';
import {
  type Checkpointer,
  type CheckpointerClass,
  type CheckpointerOptions,
  checkpointerClass,
} from './checkpointer.ts';
import type { FactoryRuntime, Graph, GraphConfig } from './langgraph-types.ts';
import { type ExportedGraph, type GraphEntry, loadGraph, parseGraphPath, toGraph } from './load-graph.ts';
import { describeError, GraphLoadError } from './runtime-error.ts';
import type { ServerConnection } from './server-link.ts';
import { storeClass } from './store.ts';
import type { UserLangGraph, UserLangGraphs } from './user-langgraph.ts';

/** A graph ready for one run or request. */
export interface OpenGraph {
  readonly graph: Graph;
  readonly langgraph: UserLangGraph;
  checkpointer(options: CheckpointerOptions): Checkpointer;
  /** The graph with this checkpointer and the server's store, whatever it was compiled with. */
  view(graph: Graph, checkpointer: Checkpointer): Graph;
}

interface Classes {
  readonly Checkpointer: CheckpointerClass;
  readonly store: BaseStore;
}

type RegisteredGraph =
  | { status: 'loaded'; entry: GraphEntry; exported: ExportedGraph }
  | { status: 'failed'; error: unknown };

const DEFAULT_NAME = 'LangGraph';

/** The graphs of `langgraph.json`, as far as they loaded. */
export class GraphRegistry {
  readonly #langgraphs: UserLangGraphs;
  readonly #connection: ServerConnection;
  readonly #graphs = new Map<string, RegisteredGraph>();
  readonly #classes = new WeakMap<UserLangGraph, Classes>();

  constructor(langgraphs: UserLangGraphs, connection: ServerConnection) {
    this.#langgraphs = langgraphs;
    this.#connection = connection;
  }

  /** Loads every graph; one that fails does not keep the others from loading. */
  load({ project_dir, graphs }: InitializeParams): Promise<GraphStatus[]> {
    return Promise.all(
      Object.entries(graphs).map(async ([graphId, source]): Promise<GraphStatus> => {
        const entry = parseGraphPath(project_dir, source.path);
        try {
          const exported = await loadGraph(entry);
          if (exported.kind === 'graph') await this.#langgraphs.of(exported.graph, entry.file);
          this.#graphs.set(graphId, { status: 'loaded', entry, exported });
        } catch (error) {
          this.#graphs.set(graphId, { status: 'failed', error });
          return { status: 'failed', graph_id: graphId, error: describeError(error) };
        }
        const { description } = source;
        return {
          status: 'loaded',
          graph_id: graphId,
          nodes: {},
          ...(description === undefined ? {} : { description }),
        };
      }),
    );
  }

  /**
   * The graph for one run or request; a factory makes it now.
   *
   * @throws GraphLoadError when there is no such graph or it did not load, and what the factory throws
   */
  async open(graphId: string, config: GraphConfig, runtime: FactoryRuntime): Promise<OpenGraph> {
    const registered = this.#graphs.get(graphId);
    if (registered === undefined) throw new GraphLoadError(`There is no graph '${graphId}'.`);
    if (registered.status === 'failed') throw registered.error;
    const { exported, entry } = registered;
    const graph =
      exported.kind === 'graph'
        ? exported.graph
        : toGraph(
            await exported.factory(config, runtime),
            `What the export '${entry.exportName}' of ${entry.file} returned`,
          );
    const langgraph = await this.#langgraphs.of(graph, entry.file);
    const { Checkpointer, store } = this.#classesOf(langgraph);
    const name = graph.getName() === DEFAULT_NAME ? { name: { value: graphId } } : {};
    return {
      graph,
      langgraph,
      checkpointer: (options) => new Checkpointer(options),
      view: (of, checkpointer): Graph =>
        Object.create(of, { checkpointer: { value: checkpointer }, store: { value: store }, ...name }),
    };
  }

  #classesOf(langgraph: UserLangGraph): Classes {
    let classes = this.#classes.get(langgraph);
    if (classes === undefined) {
      const Store = storeClass(langgraph);
      classes = { Checkpointer: checkpointerClass(langgraph), store: new Store(this.#connection) };
      this.#classes.set(langgraph, classes);
    }
    return classes;
  }
}
