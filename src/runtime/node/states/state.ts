import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type {
  CheckpointRef,
  CheckpointTuple,
  JsonObject,
  JsonText,
  StateGetParams,
  StateHistoryParams,
  StateHistoryResult,
  StateResult,
  StateUpdateParams,
  StateUpdateResult,
} from '../../protocol/protocol.ts';
import type { CheckpointerOptions } from '../checkpoints/checkpointer.ts';
import { mayHideResults, withoutErrors } from '../checkpoints/hidden-results.ts';
import type { Preloaded } from '../checkpoints/preloaded.ts';
import { addressOf } from '../checkpoints/saved-checkpoint.ts';
import { updateWrites, writesOf } from '../checkpoints/state-writes.ts';
import { threadConfig, toCommand } from '../context/run-config.ts';
import type { GraphRegistry } from '../graphs/graph-registry.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import type { FactoryRuntime, Graph, StateSnapshot } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { toJsonText } from '../link/wire-format.ts';
import { nestedSnapshot, wireSnapshot } from './state-snapshot.ts';
import { isRebuilt, summarizeSnapshot } from './state-summary.ts';

interface StateRequest {
  readonly graph_id: string;
  readonly thread_id: string;
  readonly config: JsonObject;
  readonly context: JsonObject;
}

/** A graph that was opened for a request, and a function that reads its checkpoints. */
interface Reading {
  readonly graph: Graph;
  readonly langgraph: UserLangGraph;
  readonly serde: BaseCheckpointSaver['serde'];
  /**
   * Whether a checkpoint always has the same snapshot: a factory did not make the graph, and no channel is
   * rebuilt from ancestors.
   */
  readonly isRepeatable: boolean;
  /** The snapshots of checkpoints of one namespace, in the order given. */
  snapshots(tuples: readonly CheckpointTuple[]): Promise<StateSnapshot[]>;
}

/** Reads and changes the state of threads, as LangGraph's own `getState` and `bulkUpdateState` do. */
export class States {
  readonly #graphs: GraphRegistry;
  readonly #connection: ServerConnection;

  constructor(graphs: GraphRegistry, connection: ServerConnection) {
    this.#graphs = graphs;
    this.#connection = connection;
  }

  /**
   * Reads the state at a checkpoint, by default at the newest one. It has the writes that led to it if the
   * server has sent the checkpoint with its parents.
   */
  async get(params: StateGetParams): Promise<StateResult> {
    const preloaded = preloadedOf(params.checkpoint, params.start_from);
    const { graph, snapshots, serde } = await this.#open(params, 'threads.read', { preloaded });
    const config = threadConfig(params, params.checkpoint);
    const snapshot = await graph.getState(config, { subgraphs: params.subgraphs });
    const { start_from, parents } = params;
    if (start_from === null || parents === undefined) return { state: toJsonText(wireSnapshot(snapshot)) };
    const [parent] = await snapshots(parents.map(withoutErrors));
    const writes = new Map([[snapshot, await writesOf(snapshot, start_from, parent, serde)]]);
    await this.#addNested(snapshot, writes, { snapshots, serde });
    return { state: toJsonText(wireSnapshot(snapshot, writes)) };
  }

  /**
   * Adds the writes of the subgraphs that a snapshot's tasks run. Their checkpoints have to be requested.
   */
  async #addNested(
    { tasks }: StateSnapshot,
    writes: Map<StateSnapshot, Record<string, unknown>>,
    reading: Pick<Reading, 'snapshots' | 'serde'>,
  ): Promise<void> {
    for (const nested of tasks.map(nestedSnapshot)) {
      if (nested === undefined) continue;
      const { threadId, namespace, checkpointId } = addressOf(nested.config);
      if (checkpointId === undefined) continue;
      const place = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId };
      const { tuple } = await this.#connection.request('checkpoints.get', place);
      if (tuple === null) continue;
      const parent = await this.#readParent(tuple);
      const [before] = await reading.snapshots(parent === null ? [] : [withoutErrors(parent)]);
      writes.set(nested, await writesOf(nested, tuple, before, reading.serde));
      await this.#addNested(nested, writes, reading);
    }
  }

  /**
   * Reads the parent of a checkpoint that a superstep made; null for other checkpoints, whose writes do not
   * come from tasks of the parent.
   */
  async #readParent({ thread_id, checkpoint_ns, parent_checkpoint_id, metadata }: CheckpointTuple) {
    if (parent_checkpoint_id === null || metadata.source !== 'loop') return null;
    const place = { thread_id, checkpoint_ns, checkpoint_id: parent_checkpoint_id };
    return (await this.#connection.request('checkpoints.get', place)).tuple;
  }

  /** The snapshots of the checkpoints that the server chose, in their order. */
  async readHistory(params: StateHistoryParams): Promise<StateHistoryResult> {
    const { tuples, parents } = params;
    const reading = await this.#open(params, 'threads.read', { preloaded: { kind: 'unknown' } });
    if (parents === undefined) {
      const shown = await reading.snapshots(tuples);
      return { states: shown.map((snapshot) => toJsonText(wireSnapshot(snapshot))) };
    }
    const { isRepeatable: repeatable } = reading;
    return { states: await readHistoryTexts(reading, tuples, parents), repeatable };
  }

  /** Applies supersteps of updates. Each makes a checkpoint; a copy with updates makes two. */
  async update(params: StateUpdateParams): Promise<StateUpdateResult> {
    const { graph, langgraph } = await this.#open(params, 'threads.update', {
      preloaded: { kind: 'unknown' },
      updates: updateWrites(params.supersteps),
    });
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

  async #open(
    params: StateRequest,
    accessContext: FactoryRuntime['accessContext'],
    known: Pick<CheckpointerOptions, 'preloaded' | 'updates'>,
  ): Promise<Reading> {
    const { thread_id, graph_id, config } = params;
    const open = await this.#graphs.open(graph_id, threadConfig(params, null), {
      accessContext,
      executionRuntime: null,
    });
    const checkpointer = (options: typeof known) =>
      open.checkpointer({
        connection: this.#connection,
        threadId: thread_id,
        runId: null,
        metadata: {
          ...(typeof config.metadata === 'object' ? config.metadata : {}),
          thread_id,
          graph_id,
        },
        durability: 'async',
        ...options,
      });
    const own = checkpointer(known);
    const graph: Graph = open.view(open.graph, own);
    const snapshots = async (tuples: readonly CheckpointTuple[]): Promise<StateSnapshot[]> => {
      const [first] = tuples;
      if (first === undefined) return [];
      const view = open.view(open.graph, checkpointer({ preloaded: { kind: 'history', tuples } }));
      const found: StateSnapshot[] = [];
      const at = threadConfig(params, { checkpoint_ns: first.checkpoint_ns });
      for await (const snapshot of view.getStateHistory(at)) found.push(snapshot);
      return found;
    };
    const isRepeatable = !open.isMade && !Object.values(graph.channels).some(isRebuilt);
    return { graph, langgraph: open.langgraph, serde: own.serde, isRepeatable, snapshots };
  }
}

/**
 * Reads the states of checkpoints as JSON text in the form of clients.
 * @param parents those parents of the checkpoints that are not among `tuples`
 */
async function readHistoryTexts(
  { snapshots, serde }: Reading,
  tuples: readonly CheckpointTuple[],
  parents: readonly CheckpointTuple[],
): Promise<JsonText[]> {
  const shown = byCheckpoint(await snapshots([...tuples, ...parents.map(withoutErrors)]));
  const parentIds = new Set(tuples.map(({ parent_checkpoint_id }) => parent_checkpoint_id));
  // These parents are also shown, with their errors, so they are read a second time for the results of their
  // tasks.
  const hiding = tuples.filter((tuple) => {
    const snapshot = shown.get(tuple.checkpoint_id);
    return snapshot !== undefined && parentIds.has(tuple.checkpoint_id) && mayHideResults(snapshot, tuple);
  });
  const withResults = byCheckpoint(await snapshots(hiding.map(withoutErrors)));
  const states = tuples.map(async (tuple) => {
    const { checkpoint_id, parent_checkpoint_id: parentId } = tuple;
    const snapshot = shown.get(checkpoint_id);
    if (snapshot === undefined) throw new Error(`LangGraph did not return checkpoint ${checkpoint_id}.`);
    const parent = withResults.get(parentId) ?? shown.get(parentId);
    const writes = await writesOf(snapshot, tuple, parent, serde);
    return toJsonText(wireSnapshot(snapshot, new Map([[snapshot, writes]])));
  });
  return Promise.all(states);
}

function byCheckpoint(snapshots: readonly StateSnapshot[]): Map<unknown, StateSnapshot> {
  return new Map(snapshots.map((snapshot) => [snapshot.config.configurable?.checkpoint_id, snapshot]));
}

function preloadedOf(checkpoint: CheckpointRef | null, tuple: CheckpointTuple | null): Preloaded {
  if (tuple !== null) return { kind: checkpoint?.checkpoint_id === undefined ? 'newest' : 'one', tuple };
  return { kind: checkpoint === null ? 'empty' : 'unknown' };
}
