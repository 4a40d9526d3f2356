import type { BaseStore } from '@langchain/langgraph';
import type { GraphStatus, InitializeParams } from '../../protocol/protocol.ts';
import {
  type Checkpointer,
  type CheckpointerClass,
  type CheckpointerOptions,
  checkpointerClass,
} from '../checkpoints/checkpointer.ts';
import { describeError, GraphLoadError } from '../errors/runtime-error.ts';
import { checkLangGraphVersion } from '../langgraph/langgraph-version.ts';
import type { UserLangGraph, UserLangGraphs } from '../langgraph/user-langgraph.ts';
import type { FactoryRuntime, Graph, GraphConfig } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';
import {
  type ExportedGraph,
  type GraphEntry,
  loadGraph,
  parseGraphPath,
  toGraph,
} from '../loading/load-graph.ts';
import { watchLoading } from '../loading/loading-watch.ts';
import type { LoopTurns } from '../loop/loop-turns.ts';
import { storeClass } from '../store/store.ts';
import { unbatchStore } from '../store/unbatched-store.ts';
import { locateExport } from './graph-locations.ts';

/** A graph ready for one run or request. */
export interface OpenGraph {
  readonly graph: Graph;
  readonly entry: GraphEntry;
  readonly langgraph: UserLangGraph;
  /** Whether a factory made the graph, so that the next graph that it makes may be different. */
  readonly isMade: boolean;
  checkpointer(options: CheckpointerOptions): Checkpointer;
  /** The graph with this checkpointer and the server's store instead of those it was compiled with. */
  view(graph: Graph, checkpointer: Checkpointer): Graph;
}

/** The parts that are made once per copy of LangGraph, for all of its graphs. */
interface LibraryParts {
  readonly Checkpointer: CheckpointerClass;
  readonly store: BaseStore;
}

type RegisteredGraph =
  | { status: 'loaded'; entry: GraphEntry; exported: ExportedGraph }
  | { status: 'failed'; error: unknown };

/** How long a factory may take, except for a run. */
const MAX_FACTORY_MS = 10_000;

/** The name that LangGraph gives a graph that has none. */
const DEFAULT_NAME = 'LangGraph';

/** The loaded graphs of `langgraph.json`. */
export class GraphRegistry {
  readonly #langgraphs: UserLangGraphs;
  readonly #connection: ServerConnection;
  readonly #turns: LoopTurns;
  readonly #graphs = new Map<string, RegisteredGraph>();
  readonly #parts = new WeakMap<UserLangGraph, LibraryParts>();

  constructor(langgraphs: UserLangGraphs, connection: ServerConnection, turns: LoopTurns) {
    this.#langgraphs = langgraphs;
    this.#connection = connection;
    this.#turns = turns;
  }

  /** Loads every graph; the failure of one does not affect the others. */
  async load({ project_dir, graphs }: InitializeParams): Promise<GraphStatus[]> {
    const waiting = new Set<string>();
    const stopWatching = watchLoading(project_dir, waiting, (message) =>
      this.#connection.notify('log', { level: 'warning', message }),
    );
    await Promise.all(
      Object.entries(graphs).map(async ([graphId, source]) => {
        const entry = parseGraphPath(project_dir, source.path);
        waiting.add(entry.file);
        this.#graphs.set(graphId, await this.#load(entry));
        waiting.delete(entry.file);
      }),
    );
    stopWatching();
    return Object.entries(graphs).map(([graph_id, { description }]): GraphStatus => {
      const registered = this.#graphs.get(graph_id);
      if (registered?.status !== 'loaded') {
        return { status: 'failed', graph_id, error: describeError(registered?.error) };
      }
      const location = locateExport(registered.entry);
      return {
        status: 'loaded',
        graph_id,
        // The request `graph.locations` finds the places of the nodes, because that takes extra work.
        nodes: {},
        ...(registered.exported.kind === 'factory' ? { is_factory: true } : {}),
        ...(location === undefined ? {} : { location }),
        ...(description === undefined ? {} : { description }),
      };
    });
  }

  /**
   * Prepares a graph for one run or request. A factory is called now.
   * @throws GraphLoadError when there is no such graph or it did not load, and the error of the factory
   */
  async open(graphId: string, config: GraphConfig, runtime: FactoryRuntime): Promise<OpenGraph> {
    const registered = this.#graphs.get(graphId);
    if (registered === undefined) throw new GraphLoadError(`Graph '${graphId}' not found.`);
    if (registered.status === 'failed') throw registered.error;
    const { exported, entry } = registered;
    const graph =
      exported.kind === 'graph'
        ? exported.graph
        : toGraph(
            await withinTime(exported.factory(config, runtime), graphId, runtime),
            `The return value of export '${entry.exportName}' of ${entry.file}`,
          );
    const langgraph = await this.#langgraphs.of(graph, entry.file);
    const { Checkpointer, store } = this.#partsOf(langgraph);
    const name = graph.getName() === DEFAULT_NAME ? { name: { value: graphId } } : {};
    return {
      graph,
      entry,
      langgraph,
      isMade: exported.kind === 'factory',
      checkpointer: (options) => new Checkpointer(options),
      view: (viewed, checkpointer): Graph =>
        Object.create(viewed, { checkpointer: { value: checkpointer }, store: { value: store }, ...name }),
    };
  }

  /**
   * The LangGraph that a graph's module would import; undefined when the graph did not load, or LangGraph is
   * not installed.
   */
  async langgraphOf(graphId: string): Promise<UserLangGraph | undefined> {
    const registered = this.#graphs.get(graphId);
    return registered?.status === 'loaded' ? this.#langgraphs.beside(registered.entry.file) : undefined;
  }

  /** Where the graphs that loaded are exported. */
  entries(): Map<string, GraphEntry> {
    const entries = new Map<string, GraphEntry>();
    for (const [graphId, graph] of this.#graphs) {
      if (graph.status === 'loaded') entries.set(graphId, graph.entry);
    }
    return entries;
  }

  /** Loads a graph; its failure is part of the result. */
  async #load(entry: GraphEntry): Promise<RegisteredGraph> {
    try {
      checkLangGraphVersion(entry.file);
      const exported = await loadGraph(entry);
      if (exported.kind === 'graph') await this.#langgraphs.of(exported.graph, entry.file);
      return { status: 'loaded', entry, exported };
    } catch (error) {
      return { status: 'failed', error };
    }
  }

  #partsOf(langgraph: UserLangGraph): LibraryParts {
    let parts = this.#parts.get(langgraph);
    if (parts === undefined) {
      const Store = storeClass(langgraph);
      const isOurs = (store: BaseStore) => store instanceof Store;
      unbatchStore(langgraph.AsyncBatchedStore, isOurs, () => this.#turns.pass());
      parts = {
        Checkpointer: checkpointerClass(langgraph, this.#turns),
        store: new Store(this.#connection),
      };
      this.#parts.set(langgraph, parts);
    }
    return parts;
  }
}

/** Limits the time of a factory, except for runs, because these can be canceled. */
async function withinTime(
  making: unknown,
  graphId: string,
  { accessContext }: FactoryRuntime,
): Promise<unknown> {
  if (accessContext === 'threads.create_run') return making;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const seconds = MAX_FACTORY_MS / 1000;
      reject(
        new GraphLoadError(
          `The function that creates graph '${graphId}' did not return within ${seconds} s.`,
        ),
      );
    }, MAX_FACTORY_MS);
  });
  try {
    return await Promise.race([making, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
