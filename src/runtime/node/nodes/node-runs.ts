import type { NodeInput, NodeParams, NodeResult, NodeRunParams } from '../../protocol/protocol.ts';
import { revive } from '../checkpoints/saved-checkpoint.ts';
import { contextOf, threadConfig } from '../context/run-config.ts';
import { type RunContext, userOf } from '../context/run-context.ts';
import { describeError } from '../errors/runtime-error.ts';
import type { GraphRegistry, OpenGraph } from '../graphs/graph-registry.ts';
import type { Graph } from '../langgraph-types.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { toJsonText } from '../link/wire-format.ts';
import { applyEdits } from './edited-input.ts';
import { findRecordedTask, type RecordedState, type RecordedTask } from './recorded-task.ts';
import { type LoneRun, runAlone } from './run-alone.ts';
import { type ChannelWrite, errorText, taskResult } from './task-result.ts';

/** The current graph has no such node, or the input is missing or invalid. */
class NodeError extends Error {
  override readonly name = 'NodeError';
}

/** A node of an opened graph, with its task in the checkpoint of the request. */
interface Prepared {
  readonly open: OpenGraph;
  /** The graph that contains the node: the root graph or a subgraph. */
  readonly owner: Graph;
  readonly state: RecordedState | undefined;
  readonly task: RecordedTask | undefined;
}

/** Runs single nodes, with their recorded input or another one, and stores nothing. */
export class NodeRuns {
  readonly #graphs: GraphRegistry;
  readonly #connection: ServerConnection;
  readonly #context: RunContext;
  readonly #active = new Map<string, AbortController>();

  constructor(graphs: GraphRegistry, connection: ServerConnection, context: RunContext) {
    this.#graphs = graphs;
    this.#connection = connection;
    this.#context = context;
  }

  get areActive(): boolean {
    return this.#active.size > 0;
  }

  /** @throws NodeError when the graph no longer has such a node */
  async readInput(params: NodeParams): Promise<NodeInput> {
    const { task } = await this.#prepare(params);
    if (task === undefined) return { input: null, recorded: null };
    const { input, writes } = task;
    return {
      input: input === undefined ? null : toJsonText(input),
      recorded: writes.length === 0 ? null : taskResult(writes),
    };
  }

  /**
   * Runs a node. Errors of the node are part of the result.
   * @throws NodeError when the graph no longer has such a node, or no input for it is known
   */
  async run({ run_id, node: params, input }: NodeRunParams): Promise<NodeResult> {
    const abort = new AbortController();
    this.#active.set(run_id, abort);
    const user = userOf(params.config.configurable);
    try {
      return await this.#context.within(user === undefined ? {} : { user }, () =>
        this.#run(params, input, abort.signal),
      );
    } finally {
      this.#active.delete(run_id);
    }
  }

  /** Aborts a node's signal. Unknown runs are ignored. */
  cancel(runId: string): void {
    this.#active.get(runId)?.abort();
  }

  async #run(params: NodeParams, given: string | null, signal: AbortSignal): Promise<NodeResult> {
    const { open, owner, state, task } = await this.#prepare(params);
    const { node, graph_id } = params;
    if (given === null && task?.input === undefined) {
      throw new NodeError(`The input of node '${node}' was not recorded. Enter it as JSON.`);
    }
    const input =
      given === null
        ? task?.input
        : await applyEdits(JSON.parse(given), task?.input, open.langgraph).catch((error: unknown) => {
            throw new NodeError(`The input is not valid for node '${node}'. ${describeError(error).message}`);
          });
    const checkpointer = this.#makeCheckpointer(open, params);
    const run = await runAlone(open.langgraph, {
      graph: open.view(owner, checkpointer),
      node,
      input,
      checkpoint: state?.saved.checkpoint,
      metadata: { ...state?.saved.metadata },
      serde: checkpointer.serde,
      answers: task?.answers ?? [],
      config: {
        ...threadConfig(params, null),
        context: contextOf(params.context, params.config),
        metadata: { graph_id },
        runName: `${node} (alone)`,
      },
      signal,
    });
    return resultOf(run, signal.aborted);
  }

  async #prepare(params: NodeParams): Promise<Prepared> {
    const { graph_id, node, checkpoint_ns, start_from } = params;
    const open = await this.#graphs.open(graph_id, threadConfig(params, null), {
      accessContext: 'threads.create_run',
      executionRuntime: { context: contextOf(params.context, params.config) },
    });
    const owner = await ownerOf(open.graph, checkpoint_ns);
    const names = Object.keys(owner?.nodes ?? {}).filter((name) => name !== '__start__');
    if (owner === undefined || !names.includes(node)) {
      const place = checkpoint_ns === '' ? `Graph '${graph_id}'` : `This subgraph of '${graph_id}'`;
      throw new NodeError(
        owner === undefined
          ? `Graph '${graph_id}' no longer has a subgraph at '${namesOf(checkpoint_ns)}'.`
          : `${place} no longer has a node '${node}'. Its nodes: ${names.join(', ')}.`,
      );
    }
    if (start_from === null) return { open, owner, state: undefined, task: undefined };
    const checkpointer = this.#makeCheckpointer(open, params);
    const { checkpoint_id } = start_from;
    const [saved, snapshot] = await Promise.all([
      revive(checkpointer.serde, start_from),
      open.view(open.graph, checkpointer).getState(threadConfig(params, { checkpoint_ns, checkpoint_id })),
    ]);
    const state = { saved, snapshot };
    return { open, owner, state, task: findRecordedTask(owner, params, state) };
  }

  #makeCheckpointer(open: OpenGraph, { thread_id, graph_id, start_from: tuple }: NodeParams) {
    return open.checkpointer({
      connection: this.#connection,
      threadId: thread_id,
      runId: null,
      metadata: { thread_id, graph_id },
      durability: 'async',
      preloaded: tuple === null ? { kind: 'empty' } : { kind: 'one', tuple },
    });
  }
}

function resultOf({ writes, isCommand, failure }: LoneRun, isAborted: boolean): NodeResult {
  const is_command = isCommand;
  if (isAborted) return { status: 'cancelled', result: taskResult(writes), is_command };
  if (failure !== undefined) {
    const error = describeError(failure.thrown);
    const own = writes.filter(([channel]) => channel !== '__error__');
    const all: ChannelWrite[] = [...own, ['__error__', errorText(error)]];
    return { status: 'error', result: taskResult(all), is_command, error };
  }
  const isAsking = writes.some(([channel]) => channel === '__interrupt__');
  return { status: isAsking ? 'interrupted' : 'success', result: taskResult(writes), is_command };
}

/** Finds the graph or subgraph whose checkpoints have this namespace. */
async function ownerOf(graph: Graph, namespace: string): Promise<Graph | undefined> {
  if (namespace === '') return graph;
  const wanted = namesOf(namespace);
  for await (const [name, subgraph] of graph.getSubgraphsAsync(wanted, true)) {
    if (name === wanted) return subgraph;
  }
  return undefined;
}

/** The nodes that a namespace leads through: `node:task|inner:task` as `node|inner`. */
function namesOf(namespace: string): string {
  const parts = namespace.split('|').filter((part) => !/^\d+$/.test(part));
  return parts.map((part) => part.split(':')[0]).join('|');
}
