import type {
  BaseCheckpointSaver,
  CheckpointMetadata,
  CheckpointTuple as SavedCheckpoint,
} from '@langchain/langgraph';
import type { CheckpointTuple, Durability, JsonObject, PendingWrite } from '../../protocol/protocol.ts';
import { boundError } from '../errors/runtime-error.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { isRecord } from '../langgraph-types.ts';
import type { HeldEvents } from '../link/event-outbox.ts';
import type { ServerConnection } from '../link/server-link.ts';
import { toWire } from '../link/wire-format.ts';
import type { LoopTurns } from '../loop/loop-turns.ts';
import { jsonValue, serialize } from './checkpoint-format.ts';
import { CheckpointMemory } from './checkpoint-memory.ts';
import type { Preloaded } from './preloaded.ts';
import { addressOf, type Checkpoint, type Config, revive, toKnown } from './saved-checkpoint.ts';
import { serializeValues } from './serialize-values.ts';
import { byNode, type Write } from './state-writes.ts';
import { StoredCheckpoints } from './stored-checkpoints.ts';

type Writes = Parameters<BaseCheckpointSaver['putWrites']>[1];
type ListOptions = Parameters<BaseCheckpointSaver['list']>[1];

/**
 * The original function, because the replaced one returns the same numbers in a replay, and a replay must
 * not produce the same versions as the recorded run.
 */
const { random } = Math;

export interface CheckpointerOptions {
  readonly connection: ServerConnection;
  /** The thread of the run or request, whose checkpoints are cached. */
  readonly threadId: string;
  /** Null when a state is read or updated outside a run. */
  readonly runId: string | null;
  /** Metadata of every checkpoint: ids, and the caller's own metadata. */
  readonly metadata: JsonObject;
  readonly durability: Durability;
  readonly preloaded: Preloaded;
  /** For state updates: the writes of each checkpoint with the source `update`, in order. */
  readonly updates?: readonly Write[][];
  /** The run's events, which are sent with the writes of their task. */
  readonly events?: HeldEvents;
}

/** The newest checkpoint that a run stored for the root graph, as LangGraph's own object. */
export interface NewestRoot {
  readonly checkpoint: Checkpoint;
  /** Whether tasks have written to it since; an interrupted or failed step leaves such writes behind. */
  readonly hasWrites: boolean;
}

/** A LangGraph checkpointer that stores its checkpoints on the server, for one run or one request. */
export interface Checkpointer extends BaseCheckpointSaver {
  readonly newestRoot: NewestRoot | undefined;
}

export type CheckpointerClass = new (options: CheckpointerOptions) => Checkpointer;

type GetHistory = BaseCheckpointSaver['getDeltaChannelHistory'];
type HistoryOptions = Parameters<GetHistory>[0];

/** How many checkpoints `list` requests at once. */
const LIST_PAGE = 100;

/**
 * Makes the class of checkpointers, as a subclass of the user's own `BaseCheckpointSaver`, whose serializer
 * it uses.
 */
export function checkpointerClass(langgraph: UserLangGraph, turns: LoopTurns): CheckpointerClass {
  const { BaseCheckpointSaver: Base, specialWriteIndexes } = langgraph;

  return class HarborCheckpointer extends Base<number> implements Checkpointer {
    readonly #options: CheckpointerOptions;
    readonly #memory = new CheckpointMemory();
    readonly #stored: StoredCheckpoints;
    #root: Checkpoint | undefined;
    /** The index in `options.updates` of the next update to store. */
    #nextUpdate = 0;

    constructor(options: CheckpointerOptions) {
      super();
      this.#options = options;
      const { connection, preloaded } = options;
      this.#stored = new StoredCheckpoints({
        connection,
        preloaded,
        memoryOf: (threadId) => this.#memoryOf(threadId),
        saver: this,
      });
      if ('tuple' in preloaded) this.#memory.remember(toKnown(preloaded.tuple, preloaded.kind === 'newest'));
    }

    /** The cached checkpoints of a thread; undefined for another thread, which a node may also use. */
    #memoryOf(threadId: string): CheckpointMemory | undefined {
      return threadId === this.#options.threadId ? this.#memory : undefined;
    }

    get newestRoot(): NewestRoot | undefined {
      const checkpoint = this.#root;
      return checkpoint && { checkpoint, hasWrites: this.#memory.writes(checkpoint.id).length > 0 };
    }

    getTuple(config: Config): Promise<SavedCheckpoint | undefined> {
      return this.#stored.get(config);
    }

    async *list(config: Config, options?: ListOptions): AsyncGenerator<SavedCheckpoint> {
      const { preloaded } = this.#options;
      if (preloaded.kind === 'history') {
        for (const tuple of preloaded.tuples) yield await revive(this.serde, tuple);
        return;
      }
      for await (const tuples of this.#pages(config, options)) {
        for (const tuple of tuples) yield await revive(this.serde, tuple);
      }
    }

    /** Reads the server's checkpoints, newest first. */
    async *#pages(config: Config, options: ListOptions | undefined): AsyncGenerator<CheckpointTuple[]> {
      const { threadId, checkpointId } = addressOf(config);
      const namespace: unknown = config.configurable?.checkpoint_ns;
      let before: unknown = options?.before?.configurable?.checkpoint_id;
      for (let left = options?.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
        const limit = Math.min(left, LIST_PAGE);
        const { tuples } = await this.#options.connection.request('checkpoints.list', {
          thread_id: threadId,
          limit,
          ...(typeof namespace === 'string' ? { checkpoint_ns: namespace } : {}),
          ...(checkpointId === undefined ? {} : { checkpoint_id: checkpointId }),
          ...(typeof before === 'string' ? { before } : {}),
          ...(options?.filter === undefined ? {} : { filter: options.filter }),
        });
        yield tuples;
        if (tuples.length < limit) return;
        left -= tuples.length;
        before = tuples.at(-1)?.checkpoint_id;
      }
    }

    async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<Config> {
      const { threadId, namespace, checkpointId: parentId } = addressOf(config);
      const memory = this.#memoryOf(threadId);
      const known = memory?.get(namespace);
      const { channel_values, ...envelope } = checkpoint;
      const parent = known?.tuple.checkpoint_id === parentId ? known : undefined;
      const values = serializeValues(this.serde, checkpoint, parent);
      const place = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpoint.id };
      const merged = toWire({
        ...this.#options.metadata,
        ...metadata,
        writes: this.#takeUpdateWrites(checkpoint, metadata),
      });
      const saved = {
        ...place,
        parent_checkpoint_id: parentId ?? null,
        checkpoint: jsonValue(JSON.stringify({ ...envelope, channel_values: {} })),
        metadata: isRecord(merged) ? merged : {},
      };
      if (memory !== undefined && namespace === '') this.#root = checkpoint;
      memory?.remember({
        tuple: { ...saved, channel_values: values.all, pending_writes: [] },
        versions: values.versions,
        isNewest: true,
        isOwn: true,
        complete: values.complete,
      });
      // The events of the tasks are sent first, because once the server has the checkpoint, it does not run
      // the tasks again.
      await Promise.all([values.complete, this.#options.events?.released]);
      this.#options.connection.notify('checkpoints.put', {
        ...saved,
        run_id: this.#options.runId,
        channel_versions: values.versions,
        channel_values: values.changed,
      });
      if (turns.isBusy) this.#options.connection.flush();
      if (this.#options.durability === 'sync') await this.#options.connection.request('checkpoints.sync', {});
      return { configurable: place };
    }

    async putWrites(config: Config, writes: Writes, taskId: string, taskPath = ''): Promise<void> {
      const { threadId, namespace, checkpointId } = addressOf(config);
      if (checkpointId === undefined) throw new Error('The checkpoint ID of the writes is missing.');
      const hold = this.#options.events?.hold();
      try {
        const serialized = await Promise.all(
          writes.map(async ([channel, value], position): Promise<PendingWrite> => {
            const name = String(channel);
            const index = specialWriteIndexes[name] ?? position;
            const stored = await serialize(this.serde, name === '__error__' ? boundError(value) : value);
            return { task_id: taskId, task_path: taskPath, index, channel: name, value: stored };
          }),
        );
        this.#memoryOf(threadId)?.addWrites(checkpointId, serialized);
        await hold?.earlierSent;
        this.#options.connection.notify('checkpoints.put_writes', {
          run_id: this.#options.runId,
          thread_id: threadId,
          checkpoint_ns: namespace,
          checkpoint_id: checkpointId,
          writes: serialized,
        });
      } finally {
        hold?.release();
      }
    }

    async deleteThread(threadId: string): Promise<void> {
      this.#memoryOf(threadId)?.clear();
      await this.#options.connection.request('checkpoints.delete_thread', { thread_id: threadId });
    }

    /** Reads ancestors as LangGraph does, but requests a page at a time instead of a single ancestor. */
    override getDeltaChannelHistory(options: HistoryOptions): ReturnType<GetHistory> {
      const ahead = new Map<string, CheckpointTuple>();
      const walker: BaseCheckpointSaver = Object.create(this, {
        getTuple: { value: (config: Config) => this.#stored.getAncestor(config, ahead) },
      });
      return super.getDeltaChannelHistory.call(walker, options);
    }

    /**
     * The next integer plus a random fraction, as in Python's savers, so that two branches of a checkpoint
     * do not use the same version for different values.
     */
    override getNextVersion(current: number | undefined): number {
      return Math.floor(current ?? 0) + 1 + Math.floor(random() * 1e9) / 1e9;
    }

    /**
     * Takes the writes to store with a checkpoint from the next update. Undefined for the checkpoints of
     * supersteps, because their writes are read from their tasks.
     */
    #takeUpdateWrites(
      { versions_seen }: Checkpoint,
      { source }: CheckpointMetadata,
    ): Record<string, unknown> | undefined {
      const given = source === 'update' ? this.#options.updates?.[this.#nextUpdate++] : undefined;
      return given && byNode(given, versions_seen);
    }
  };
}
