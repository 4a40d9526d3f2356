import type { Updateable } from 'kysely';
import { z } from 'zod';
import type { CheckpointConfig } from '../../../contract/agent-server/threads.ts';
import type { JsonObject } from '../../../contract/fields.ts';
import type {
  CheckpointRef,
  CheckpointTuple,
  StateSummary,
  StateUpdate,
} from '../../../runtime/protocol/protocol.ts';
import { badRequest, HttpError, notFound } from '../../http/errors.ts';
import { JsonText, jsonArray } from '../../http/reply.ts';
import { storageProblem } from '../../http/storage-problem.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { RuntimeProcess } from '../../runtimes/process/runtime-process.ts';
import { isRefused } from '../../storage/refused.ts';
import type { ThreadTable } from '../../storage/state-schema.ts';
import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { CommitQueue } from '../data/commit-queue.ts';
import { selectPaths } from '../data/select-paths.ts';
import type { TextCache } from '../data/text-cache.ts';
import { busyOr, renewedExpiry } from '../data/thread-queries.ts';
import type { ThreadRow } from '../data/thread-store.ts';
import { askRuntime } from '../runtime/ask-runtime.ts';
import { StateCache } from './state-cache.ts';

/** The state of a graph at a checkpoint, as JSON text. */
export interface ReachedState {
  readonly values: string | null;
  /** The interrupts by task. */
  readonly interrupts: string;
}

/** An update in progress. */
interface PendingUpdate {
  readonly threadId: string;
  /** The reason why a part of the update could not be stored. */
  refusal?: unknown;
}

const Metadata = z.looseObject({ graph_id: z.string().optional() });
const Config = z.record(z.string(), z.unknown());

export interface ThreadStatesOptions {
  readonly checkpoints: CheckpointStore;
  readonly queue: CommitQueue;
  readonly runtime: DeploymentRuntime;
  /** The server's cache of texts that runtimes have computed. */
  readonly texts: TextCache;
}

/**
 * States of threads. The server selects checkpoints; the user's own LangGraph in the runtime computes their
 * values, next nodes and tasks.
 */
export class ThreadStates {
  readonly #checkpoints: CheckpointStore;
  readonly #queue: CommitQueue;
  readonly #runtime: DeploymentRuntime;
  readonly #texts: TextCache;
  readonly #caches = new WeakMap<RuntimeProcess, StateCache>();
  readonly #updates = new Set<PendingUpdate>();

  constructor(options: ThreadStatesOptions) {
    this.#checkpoints = options.checkpoints;
    this.#queue = options.queue;
    this.#runtime = options.runtime;
    this.#texts = options.texts;
  }

  /**
   * The state at a checkpoint, by default the newest one.
   * @throws HttpError 404 for a checkpoint that does not exist.
   */
  async get(
    thread: ThreadRow,
    options: { checkpoint?: CheckpointConfig; subgraphs: boolean; select?: readonly string[] | undefined },
  ): Promise<JsonText> {
    const { checkpoint } = options;
    const namespace = checkpoint?.checkpoint_ns ?? '';
    const start = await this.#checkpoints.get({
      thread_id: thread.thread_id,
      checkpoint_ns: namespace,
      checkpoint_id: checkpoint?.checkpoint_id ?? undefined,
    });
    if (start === null) {
      if (checkpoint?.checkpoint_id != null) throw notFound('Checkpoint', checkpoint.checkpoint_id);
      return selectFields(JSON.stringify(emptyState(thread)), options.select);
    }
    const graphId = graphOf(thread, start.metadata);
    const parents = await this.#readParents([start], []);
    const { state } = await askRuntime(this.#runtime, graphId, (connection) =>
      connection.request('state.get', {
        graph_id: graphId,
        thread_id: thread.thread_id,
        config: Config.parse(JSON.parse(thread.config)),
        context: {},
        checkpoint: checkpoint === undefined ? null : toRef(checkpoint),
        subgraphs: options.subgraphs,
        start_from: start,
        parents,
      }),
    );
    return selectFields(state, options.select);
  }

  /** The states of a thread that match the options, newest first. */
  async readHistory(
    thread: ThreadRow,
    options: {
      limit: number;
      before?: string | undefined;
      metadata?: JsonObject;
      checkpointNs?: string | undefined;
      /** Returns only this checkpoint, as LangGraph's own savers do for a config with a checkpoint ID. */
      checkpointId?: string | undefined;
    },
  ): Promise<JsonText> {
    const listed = await this.#checkpoints.list({
      thread_id: thread.thread_id,
      checkpoint_ns: options.checkpointNs ?? '',
      ...(options.checkpointId === undefined ? {} : { checkpoint_id: options.checkpointId }),
      // One more state than requested is read, because it is usually the parent of the last one.
      limit: options.limit + 1,
      ...(options.before === undefined ? {} : { before: options.before }),
      ...(options.metadata === undefined ? {} : { filter: options.metadata }),
    });
    const tuples = listed.slice(0, options.limit);
    const [newest] = tuples;
    if (newest === undefined) return new JsonText('[]');
    const graphId = graphOf(thread, newest.metadata);
    const parents = await this.#readParents(tuples, listed.slice(options.limit));
    const question = {
      graph_id: graphId,
      thread_id: thread.thread_id,
      config: Config.parse(JSON.parse(thread.config)),
      context: {},
    };
    const states = await askRuntime(this.#runtime, graphId, (connection, process) =>
      this.#cacheOf(process).read(question, { tuples, parents }, (missing) =>
        connection.request('state.history', { ...question, ...missing }),
      ),
    );
    return jsonArray(states.map((state) => new JsonText(state)));
  }

  /** The cache of a process's states. Each process has its own, because another one may have loaded other code. */
  #cacheOf(process: RuntimeProcess): StateCache {
    const existing = this.#caches.get(process);
    if (existing !== undefined) return existing;
    const part = this.#texts.part();
    void process.exited.then(() => part.clear());
    const cache = new StateCache(part);
    this.#caches.set(process, cache);
    return cache;
  }

  /**
   * Applies supersteps of updates and stores the thread's new state.
   * @returns the last new checkpoint.
   * @throws HttpError 400 if the graph refuses the update, 503 or 507 if its checkpoint could not be stored.
   */
  async update(
    thread: ThreadRow,
    supersteps: StateUpdate[][],
    checkpoint?: CheckpointConfig,
  ): Promise<{ thread_id: string; checkpoint_ns: string; checkpoint_id: string }> {
    const update: PendingUpdate = { threadId: thread.thread_id };
    this.#updates.add(update);
    try {
      return await this.#update(thread, supersteps, checkpoint);
    } catch (error) {
      if (!isRefused(error, 'gone')) throw error;
      throw (
        storageProblem(update.refusal) ??
        new HttpError(503, `The new state of thread '${thread.thread_id}' was not stored. Try again.`, {
          'retry-after': '1',
        })
      );
    } finally {
      this.#updates.delete(update);
    }
  }

  /** Called when a write outside any run was not stored for a thread, so that an update can report the reason. */
  noteRefusal(threadId: string, error: unknown): void {
    for (const update of this.#updates) if (update.threadId === threadId) update.refusal ??= error;
  }

  async #update(thread: ThreadRow, supersteps: StateUpdate[][], checkpoint: CheckpointConfig | undefined) {
    const newest = await this.#checkpoints.get({ thread_id: thread.thread_id, checkpoint_ns: '' });
    const graphId = graphOf(thread, newest?.metadata ?? {});
    const result = await askRuntime(this.#runtime, graphId, (connection) =>
      connection.request('state.update', {
        graph_id: graphId,
        thread_id: thread.thread_id,
        config: Config.parse(JSON.parse(thread.config)),
        context: {},
        checkpoint: checkpoint === undefined ? null : toRef(checkpoint),
        supersteps,
      }),
    );
    // The queue stores this after the update's checkpoints, which arrived before the answer. `busyOr` is
    // needed, because a run may have been accepted in the meantime.
    const after = threadAfter(result.state);
    await this.#queue.write(thread.thread_id, (unit) => {
      this.#checkpoints.expectStored(unit, result.checkpoint);
      unit.do(
        unit.build
          .updateTable('threads')
          .set({ ...after, status: busyOr(after.status), ...updatedNow() })
          .where('thread_id', '=', thread.thread_id),
      );
    });
    return result.checkpoint;
  }

  /** The columns of a thread that describe its newest checkpoint, as the graph computes them. */
  async readSummary(threadId: string, graphId: string): Promise<Updateable<ThreadTable>> {
    const start = await this.#checkpoints.get({ thread_id: threadId, checkpoint_ns: '' });
    if (start === null) return { status: 'idle', values: null, interrupts: '{}', error: null };
    return threadAfter(await this.#summarize(start, graphId, null));
  }

  /** Reads the state of a graph at a checkpoint; undefined when it is no longer stored. */
  async readAt(threadId: string, graphId: string, checkpointId: string): Promise<ReachedState | undefined> {
    const place = { thread_id: threadId, checkpoint_ns: '', checkpoint_id: checkpointId };
    const start = await this.#checkpoints.get(place);
    return start === null ? undefined : this.#summarize(start, graphId, { checkpoint_id: checkpointId });
  }

  async #summarize(
    start: CheckpointTuple,
    graphId: string,
    checkpoint: CheckpointRef | null,
  ): Promise<StateSummary> {
    const { state } = await askRuntime(this.#runtime, graphId, (connection) =>
      connection.request('state.get', {
        graph_id: graphId,
        thread_id: start.thread_id,
        config: {},
        context: {},
        checkpoint,
        subgraphs: false,
        start_from: start,
      }),
    );
    const { values, next, tasks } = Snapshot.parse(JSON.parse(state));
    const waiting = tasks.filter((task) => task.interrupts.length > 0);
    return {
      values: JSON.stringify(values),
      // A superstep that has written everything but its checkpoint has no next nodes, but has not reached the end.
      next: next.length > 0 ? next : tasks.map(({ name }) => name),
      interrupts: JSON.stringify(Object.fromEntries(waiting.map((task) => [task.id, task.interrupts]))),
      checkpoint_id: start.checkpoint_id,
    };
  }

  /**
   * Reads the parents that are not among the checkpoints, if a superstep made the child. Their tasks' results become the
   * `metadata.writes` of the child.
   * @param read other checkpoints that were already read, and may be parents.
   */
  async #readParents(
    tuples: readonly CheckpointTuple[],
    read: readonly CheckpointTuple[],
  ): Promise<CheckpointTuple[]> {
    const missing = new Map<string, CheckpointTuple>();
    for (const tuple of tuples) {
      const { parent_checkpoint_id: id, metadata } = tuple;
      if (id !== null && metadata.source === 'loop') missing.set(id, tuple);
    }
    for (const { checkpoint_id } of tuples) missing.delete(checkpoint_id);
    const parents = read.filter(({ checkpoint_id }) => missing.delete(checkpoint_id));
    for (const [id, { thread_id, checkpoint_ns }] of missing) {
      const parent = await this.#checkpoints.get({ thread_id, checkpoint_ns, checkpoint_id: id });
      if (parent !== null) parents.push(parent);
    }
    return parents;
  }
}

function updatedNow() {
  const now = new Date().toISOString();
  return { updated_at: now, expires_at: renewedExpiry(now) };
}

const Snapshot = z.object({
  values: z.unknown(),
  next: z.array(z.string()),
  tasks: z.array(
    z.object({ id: z.string(), name: z.string(), interrupts: z.array(z.unknown()).default([]) }),
  ),
});

function threadAfter(state: StateSummary) {
  return {
    status: state.next.length > 0 ? ('interrupted' as const) : ('idle' as const),
    values: state.values,
    interrupts: state.interrupts,
    error: null,
    state_updated_at: new Date().toISOString(),
  };
}

/**
 * The graph of a thread, from the thread's metadata or that of a checkpoint.
 * @throws HttpError 400 if it is unknown.
 */
export function graphOf(thread: ThreadRow, checkpointMetadata: JsonObject): string {
  const graphId =
    Metadata.parse(JSON.parse(thread.metadata)).graph_id ??
    Metadata.safeParse(checkpointMetadata).data?.graph_id;
  if (graphId === undefined) {
    throw badRequest(
      `Thread '${thread.thread_id}' has no graph yet. Start a run on it, or create it with metadata.graph_id.`,
    );
  }
  return graphId;
}

function toRef(checkpoint: CheckpointConfig): CheckpointRef {
  return {
    ...(checkpoint.checkpoint_ns == null ? {} : { checkpoint_ns: checkpoint.checkpoint_ns }),
    ...(checkpoint.checkpoint_id == null ? {} : { checkpoint_id: checkpoint.checkpoint_id }),
    ...(checkpoint.checkpoint_map == null ? {} : { checkpoint_map: checkpoint.checkpoint_map }),
  };
}

/** The state, reduced to the selected paths, if any. */
function selectFields(state: string, select: readonly string[] | undefined): JsonText {
  if (select === undefined || select.length === 0) return new JsonText(state);
  const document: unknown = JSON.parse(state);
  return new JsonText(
    JSON.stringify(typeof document === 'object' && document !== null ? selectPaths(document, select) : {}),
  );
}

function emptyState(thread: ThreadRow) {
  return {
    values: {},
    next: [],
    tasks: [],
    metadata: {},
    created_at: thread.created_at,
    checkpoint: { thread_id: thread.thread_id, checkpoint_ns: '', checkpoint_id: null },
    parent_checkpoint: null,
    interrupts: [],
    checkpoint_id: null,
    parent_checkpoint_id: null,
  };
}
