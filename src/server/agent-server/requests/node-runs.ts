import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type NodePlace, NodeResult, TaskResult } from '../../../contract/agent-server/nodes.ts';
import { JsonObject } from '../../../contract/fields.ts';
import type { CheckpointTuple, NodeParams } from '../../../runtime/protocol/protocol.ts';
import { invalid, notFound } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import { configFor, type RunAuthor } from '../auth/run-author.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { RunStore } from '../data/run-store.ts';
import { askRuntime } from '../runtime/ask-runtime.ts';
import { killAfterGrace } from '../runtime/kill-after-grace.ts';
import { graphOf } from '../states/thread-states.ts';
import type { Threads } from '../threads/threads.ts';

const RunIds = z.looseObject({ run_id: z.string().optional().catch(undefined) });
const Configured = z.looseObject({ config: JsonObject.catch({}), context: JsonObject.catch({}) });

export interface NodeRunsOptions {
  readonly threads: Threads;
  readonly checkpoints: CheckpointStore;
  readonly runs: RunStore;
  readonly runtime: DeploymentRuntime;
}

/**
 * Runs single nodes in the runtime, with a given input or the input that a checkpoint recorded. Nothing is
 * stored.
 */
export class NodeRuns {
  readonly #options: NodeRunsOptions;

  constructor(options: NodeRunsOptions) {
    this.#options = options;
  }

  /**
   * Reads the input that a node had, and the result of its task, if a checkpoint recorded them.
   * @throws HttpError 404 for an unknown thread or checkpoint, 400 if the graph no longer has the node.
   */
  async readInput(place: NodePlace) {
    const params = await this.#resolveParams(place);
    const { input, recorded } = await askRuntime(this.#options.runtime, params.graph_id, (connection) =>
      connection.request('node.input', params),
    );
    return {
      graph_id: params.graph_id,
      checkpoint_id: params.start_from?.checkpoint_id ?? null,
      input: input === null ? null : (JSON.parse(input) as unknown),
      recorded: recorded === null ? null : TaskResult.parse(JSON.parse(recorded)),
    };
  }

  /**
   * Runs a node to its end.
   * @param given the input, undefined for the recorded one; and the caller, for whom the node runs.
   * @param cancelled cancels the run when it resolves.
   * @throws HttpError like `readInput`, and 400 for an input that the node does not accept.
   */
  async run(
    place: NodePlace,
    given: { input: unknown; author: RunAuthor },
    cancelled: Promise<void>,
  ): Promise<NodeResult> {
    const resolved = await this.#resolveParams(place);
    // The node runs for the current user, not for the user of the recorded run.
    const node = { ...resolved, config: configFor(resolved.config, given.author.user) };
    const run_id = randomUUID();
    const { runtime } = this.#options;
    const answer = await askRuntime(runtime, node.graph_id, async (connection, process) => {
      await runtime.debugging.whenAttached(process);
      let cancelKill: (() => void) | undefined;
      let isDone = false;
      void cancelled.then(() => {
        if (isDone) return;
        connection.tell('run.cancel', { run_id });
        cancelKill = killAfterGrace(process);
      });
      const input = given.input === undefined ? null : JSON.stringify(given.input);
      return connection.request('node.run', { run_id, node, input }).finally(() => {
        isDone = true;
        cancelKill?.();
      });
    });
    return NodeResult.parse({ ...answer, result: JSON.parse(answer.result) });
  }

  /** The names of a graph's reducers. @throws HttpError 400 for an unknown graph. */
  listReducers(graphId: string): Promise<Record<string, string>> {
    return askRuntime(this.#options.runtime, graphId, (connection) =>
      connection.request('graph.reducers', { graph_id: graphId, config: {}, context: {} }),
    );
  }

  /** Finds the checkpoint, the graph and the settings for a node. @throws HttpError 404, 400, 422 */
  async #resolveParams({ node, thread_id, graph_id, checkpoint_ns, ...at }: NodePlace): Promise<NodeParams> {
    const task = at.task_id == null ? {} : { task_id: at.task_id };
    if (thread_id == null) {
      if (graph_id == null) throw invalid(['body', 'graph_id'], 'Required when there is no thread_id.');
      const nothing = { config: {}, context: {}, start_from: null };
      return { graph_id, thread_id: randomUUID(), ...nothing, node, checkpoint_ns, ...task };
    }
    const thread = await this.#options.threads.require(thread_id);
    const start_from = await this.#findCheckpoint({ thread_id, checkpoint_ns, ...at });
    const settings = await this.#findRunSettings(start_from);
    return {
      graph_id: graph_id ?? graphOf(thread, start_from?.metadata ?? {}),
      thread_id,
      config: settings?.config ?? JsonObject.parse(JSON.parse(thread.config)),
      context: settings?.context ?? {},
      node,
      checkpoint_ns,
      start_from,
      ...task,
    };
  }

  /**
   * The given checkpoint, or the one that the given task ran from; null if neither is given, or the task
   * wrote nothing.
   * @throws HttpError 404 for an unknown checkpoint.
   */
  async #findCheckpoint({
    thread_id,
    checkpoint_ns,
    checkpoint_id,
    task_id,
  }: Pick<NodePlace, 'checkpoint_id' | 'task_id'> & {
    readonly thread_id: string;
    readonly checkpoint_ns: string;
  }): Promise<CheckpointTuple | null> {
    const { checkpoints } = this.#options;
    const namespace = { thread_id, checkpoint_ns };
    const id =
      checkpoint_id ??
      (task_id == null ? undefined : await checkpoints.findIdOfTask({ ...namespace, task_id }));
    if (id === undefined) return null;
    const found = await checkpoints.get({ ...namespace, checkpoint_id: id });
    if (found === null) throw notFound('Checkpoint', id);
    return found;
  }

  /** The config and context of the run that made a checkpoint; undefined if the run is unknown or deleted. */
  async #findRunSettings(checkpoint: CheckpointTuple | null) {
    const { run_id } = RunIds.parse(checkpoint?.metadata ?? {});
    const run = run_id === undefined ? undefined : await this.#options.runs.find(run_id);
    return run === undefined ? undefined : Configured.parse(JSON.parse(run.kwargs));
  }
}
