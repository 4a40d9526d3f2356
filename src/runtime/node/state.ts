import type {
  CheckpointRef,
  CheckpointTuple,
  JsonObject,
  StateGetParams,
  StateHistoryParams,
  StateHistoryResult,
  StateResult,
  StateUpdateParams,
  StateUpdateResult,
} from '../protocol/protocol.ts';
import type { Preloaded } from './checkpointer.ts';
import type { GraphRegistry } from './graph-registry.ts';
import type { FactoryRuntime, Graph, GraphConfig } from './langgraph-types.ts';
import { checkpointConfigurable, graphConfig, toCommand } from './run-config.ts';
import type { ServerConnection } from './server-link.ts';
import { wireSnapshot } from './state-snapshot.ts';
import { summarizeSnapshot } from './state-summary.ts';
import { toJsonText } from './wire-format.ts';

interface StateRequest {
  readonly graph_id: string;
  readonly thread_id: string;
  readonly config: JsonObject;
  readonly context: JsonObject;
}

/** Reads and changes the state of threads, as LangGraph's own `getState` and `bulkUpdateState` do. */
export class States {
  readonly #graphs: GraphRegistry;
  readonly #connection: ServerConnection;

  constructor(graphs: GraphRegistry, connection: ServerConnection) {
    this.#graphs = graphs;
    this.#connection = connection;
  }

  async get(params: StateGetParams): Promise<StateResult> {
    const preloaded = preloadedOf(params.checkpoint, params.start_from);
    const { graph } = await this.#open(params, 'threads.read', preloaded);
    const config = threadConfig(params, params.checkpoint);
    const snapshot = await graph.getState(config, { subgraphs: params.subgraphs });
    return { state: toJsonText(wireSnapshot(snapshot)) };
  }

  /** The snapshots of the checkpoints that the server chose, in their order. */
  async history(params: StateHistoryParams): Promise<StateHistoryResult> {
    const { tuples } = params;
    const [first] = tuples;
    if (first === undefined) return { states: [] };
    const { graph } = await this.#open(params, 'threads.read', { kind: 'history', tuples });
    const states: string[] = [];
    const config = threadConfig(params, { checkpoint_ns: first.checkpoint_ns });
    for await (const snapshot of graph.getStateHistory(config)) {
      states.push(toJsonText(wireSnapshot(snapshot)));
    }
    return { states };
  }

  /** Applies supersteps of updates, one checkpoint each. */
  async update(params: StateUpdateParams): Promise<StateUpdateResult> {
    const { graph, langgraph } = await this.#open(params, 'threads.update', { kind: 'unknown' });
    const config = threadConfig(params, params.checkpoint);
    const supersteps = params.supersteps.map((updates) => ({
      updates: updates.map(({ values, as_node, command }) => ({
        values: command === undefined || command === null ? values : toCommand(command, langgraph),
        ...(as_node === undefined ? {} : { asNode: as_node }),
      })),
    }));
    const updated = await graph.bulkUpdateState(config, supersteps);
    const { checkpoint_ns, checkpoint_id } = updated.configurable ?? {};
    const checkpoint = {
      thread_id: params.thread_id,
      checkpoint_ns: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
      checkpoint_id: String(checkpoint_id),
    };
    const newest = await graph.getState(threadConfig(params, null));
    return { checkpoint, state: summarizeSnapshot(newest) };
  }

  async #open(params: StateRequest, accessContext: FactoryRuntime['accessContext'], preloaded: Preloaded) {
    const { thread_id, graph_id, config } = params;
    const open = await this.#graphs.open(graph_id, threadConfig(params, null), {
      accessContext,
      executionRuntime: null,
    });
    const checkpointer = open.checkpointer({
      connection: this.#connection,
      runId: null,
      metadata: {
        ...(typeof config.metadata === 'object' ? config.metadata : {}),
        thread_id,
        graph_id,
      },
      durability: 'async',
      preloaded,
    });
    const graph: Graph = open.view(open.graph, checkpointer);
    return { graph, langgraph: open.langgraph };
  }
}

function threadConfig(params: StateRequest, checkpoint: CheckpointRef | null): GraphConfig {
  const config = graphConfig(params.config);
  return {
    ...config,
    configurable: {
      ...config.configurable,
      thread_id: params.thread_id,
      graph_id: params.graph_id,
      checkpoint_ns: '',
      ...checkpointConfigurable(checkpoint),
    },
  };
}

function preloadedOf(checkpoint: CheckpointRef | null, tuple: CheckpointTuple | null): Preloaded {
  if (tuple !== null) return { kind: checkpoint?.checkpoint_id === undefined ? 'newest' : 'one', tuple };
  return { kind: checkpoint === null ? 'empty' : 'unknown' };
}
