import type {
  BaseCheckpointSaver,
  CheckpointMetadata,
  CheckpointTuple as SavedCheckpoint,
} from '@langchain/langgraph';
import type {
  CheckpointTuple,
  Durability,
  JsonObject,
  PendingWrite,
  SerializedValue,
} from '../protocol/protocol.ts';
import { jsonValue, serialize } from './checkpoint-format.ts';
import { CheckpointMemory, type KnownCheckpoint } from './checkpoint-memory.ts';
import type { HeldEvents } from './event-outbox.ts';
import { isRecord } from './langgraph-types.ts';
import type { LoopTurns } from './loop-turns.ts';
import { address, type Checkpoint, type Config, revive, toKnown } from './saved-checkpoint.ts';
import type { ServerConnection } from './server-link.ts';
import { byNode, type Write } from './state-writes.ts';
import type { UserLangGraph } from './user-langgraph.ts';
import { toWire } from './wire-format.ts';

type Writes = Parameters<BaseCheckpointSaver['putWrites']>[1];
type ListOptions = Parameters<BaseCheckpointSaver['list']>[1];

/** The part of the thread's checkpoints that is known without a request. */
export type Preloaded =
  /** Nothing. */
  | { kind: 'unknown' }
  /** The thread has no checkpoint in any namespace. */
  | { kind: 'empty' }
  /** One, which may have newer ones beside it. */
  | { kind: 'one'; tuple: CheckpointTuple }
  /** The newest of its namespace. */
  | { kind: 'newest'; tuple: CheckpointTuple }
  /** Exactly those to list, in their order. */
  | { kind: 'history'; tuples: readonly CheckpointTuple[] };

export interface CheckpointerOptions {
  readonly connection: ServerConnection;
  /** Null outside runs: state reads and updates. */
  readonly runId: string | null;
  /** Metadata of every checkpoint: ids, and the caller's own metadata. */
  readonly metadata: JsonObject;
  readonly durability: Durability;
  readonly preloaded: Preloaded;
  /** The writes of each checkpoint of the source `update` that will be put, in order. */
  readonly updates?: readonly Write[][];
  /** The run's events, which leave with the writes of the task that they tell of. */
  readonly events?: HeldEvents;
}

/** The newest checkpoint of the root namespace that a run put, as the graph itself holds it. */
export interface NewestRoot {
  readonly checkpoint: Checkpoint;
  /** Tasks have written to it since, which an interrupted or failed step leaves behind. */
  readonly hasWrites: boolean;
}

/** A LangGraph checkpointer that keeps its checkpoints in the server, for one run or one request. */
export interface Checkpointer extends BaseCheckpointSaver {
  readonly newestRoot: NewestRoot | undefined;
}

export type CheckpointerClass = new (options: CheckpointerOptions) => Checkpointer;

type GetHistory = BaseCheckpointSaver['getDeltaChannelHistory'];
type HistoryOptions = Parameters<GetHistory>[0];

const LIST_PAGE = 100;
/** How many ancestors are read at once for a channel that is rebuilt from what was written to it. */
const MAX_ANCESTORS = 32;

/** The saver as a subclass of the user's own `BaseCheckpointSaver`, whose serializer and helpers it keeps. */
export function checkpointerClass(langgraph: UserLangGraph, turns: LoopTurns): CheckpointerClass {
  const { BaseCheckpointSaver: Base, specialWriteIndexes } = langgraph;

  return class HarborCheckpointer extends Base<number> implements Checkpointer {
    readonly #options: CheckpointerOptions;
    readonly #memory = new CheckpointMemory();
    #root: Checkpoint | undefined;
    #updates = 0;

    constructor(options: CheckpointerOptions) {
      super();
      this.#options = options;
      const { preloaded } = options;
      if ('tuple' in preloaded) this.#memory.remember(toKnown(preloaded.tuple, preloaded.kind === 'newest'));
    }

    get newestRoot(): NewestRoot | undefined {
      const checkpoint = this.#root;
      return checkpoint && { checkpoint, hasWrites: this.#memory.writes(checkpoint.id).length > 0 };
    }

    async getTuple(config: Config): Promise<SavedCheckpoint | undefined> {
      const { threadId, namespace, checkpointId } = address(config);
      const tuple = await this.#find(threadId, namespace, checkpointId);
      return tuple === null ? undefined : revive(this.serde, tuple);
    }

    async *list(config: Config, options?: ListOptions): AsyncGenerator<SavedCheckpoint> {
      const { preloaded } = this.#options;
      if (preloaded.kind === 'history') {
        for (const tuple of preloaded.tuples) yield await revive(this.serde, tuple);
        return;
      }
      const { threadId, checkpointId } = address(config);
      const namespace: unknown = config.configurable?.checkpoint_ns;
      let before: unknown = options?.before?.configurable?.checkpoint_id;
      for (let left = options?.limit ?? Number.POSITIVE_INFINITY; left > 0; ) {
        const limit = Math.min(left, LIST_PAGE);
        const { tuples } = await this.#options.connection.request('checkpoints.list', {
          thread_id: threadId,
          limit,
          ...(typeof namespace === 'string' ? { checkpoint_ns: namespace } : {}),
          ...(typeof before === 'string' ? { before } : {}),
          ...(options?.filter === undefined ? {} : { filter: options.filter }),
        });
        for (const tuple of tuples) {
          const wanted = checkpointId === undefined || tuple.checkpoint_id === checkpointId;
          if (wanted) yield await revive(this.serde, tuple);
        }
        if (tuples.length < limit) return;
        left -= tuples.length;
        before = tuples.at(-1)?.checkpoint_id;
      }
    }

    async put(config: Config, checkpoint: Checkpoint, metadata: CheckpointMetadata): Promise<Config> {
      const { threadId, namespace, checkpointId: parentId } = address(config);
      const known = this.#memory.get(namespace);
      const { channel_values, ...envelope } = checkpoint;
      const values = this.#serializeValues(
        checkpoint,
        known?.tuple.checkpoint_id === parentId ? known : undefined,
      );
      const place = { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpoint.id };
      const merged = toWire({
        ...this.#options.metadata,
        ...metadata,
        ...this.#writes(checkpoint, metadata),
      });
      const saved = {
        ...place,
        parent_checkpoint_id: parentId ?? null,
        checkpoint: jsonValue(JSON.stringify({ ...envelope, channel_values: {} })),
        metadata: isRecord(merged) ? merged : {},
      };
      if (namespace === '') this.#root = checkpoint;
      this.#memory.remember({
        tuple: { ...saved, channel_values: values.all, pending_writes: [] },
        versions: values.versions,
        isNewest: true,
        isOwn: true,
        complete: values.complete,
      });
      // A server that has the checkpoint runs none of the tasks before it again.
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
      const { threadId, namespace, checkpointId } = address(config);
      if (checkpointId === undefined) throw new Error('The checkpoint ID of the writes is missing.');
      const hold = this.#options.events?.hold();
      try {
        const serialized = await Promise.all(
          writes.map(async ([channel, value], position): Promise<PendingWrite> => {
            const name = String(channel);
            const index = specialWriteIndexes[name] ?? position;
            const stored = await serialize(this.serde, value);
            return { task_id: taskId, task_path: taskPath, index, channel: name, value: stored };
          }),
        );
        this.#memory.addWrites(checkpointId, serialized);
        await hold?.turn;
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
      this.#memory.clear();
      await this.#options.connection.request('checkpoints.delete_thread', { thread_id: threadId });
    }

    /** Walks up the branch as LangGraph does, with a page of ancestors for every question instead of one. */
    override getDeltaChannelHistory(options: HistoryOptions): ReturnType<GetHistory> {
      const ahead = new Map<string, CheckpointTuple>();
      const walker: BaseCheckpointSaver = Object.create(this, {
        getTuple: { value: (config: Config) => this.#getAncestor(config, ahead) },
      });
      return super.getDeltaChannelHistory.call(walker, options);
    }

    /**
     * The step, then a random part, as Python's savers have it: two branches that start from one checkpoint never
     * give one version to two values.
     */
    override getNextVersion(current: number | undefined): number {
      return Math.floor(current ?? 0) + 1 + Math.floor(Math.random() * 1e9) / 1e9;
    }

    /**
     * Serializes the values that the parent does not have. Which are new is seen from the versions, not from the
     * caller's `newVersions`: a value stored without a new version (a snapshot of a delta channel) must not be missed.
     */
    #serializeValues(checkpoint: Checkpoint, parent: KnownCheckpoint | undefined) {
      const versions: Record<string, string> = {};
      const all: Record<string, SerializedValue> = {};
      const changed: Record<string, SerializedValue> = {};
      const pending: Promise<void>[] = [];
      for (const [channel, value] of Object.entries(checkpoint.channel_values)) {
        const version = checkpoint.channel_versions[channel];
        const parentVersion = parent?.versions[channel];
        const parentValue = parent?.tuple.channel_values[channel];
        if (version !== undefined && parentVersion === String(version) && parentValue !== undefined) {
          versions[channel] = parentVersion;
          all[channel] = parentValue;
          continue;
        }
        versions[channel] = String(version ?? checkpoint.id);
        pending.push(
          serialize(this.serde, value).then((serialized) => {
            all[channel] = serialized;
            // A channel that was never written has a default, and no version: it keeps the one it was first stored with.
            if (
              version === undefined &&
              parentVersion !== undefined &&
              parentValue?.data === serialized.data
            ) {
              versions[channel] = parentVersion;
            } else changed[channel] = serialized;
          }),
        );
      }
      return { versions, all, changed, complete: Promise.all(pending) };
    }

    /** Only updates store their writes; those of supersteps are read from their tasks. */
    #writes(
      { versions_seen }: Checkpoint,
      { source }: CheckpointMetadata,
    ): { writes: Record<string, unknown> | undefined } {
      const given = source === 'update' ? this.#options.updates?.[this.#updates++] : undefined;
      return { writes: given && byNode(given, versions_seen) };
    }

    async #getAncestor(
      config: Config,
      ahead: Map<string, CheckpointTuple>,
    ): Promise<SavedCheckpoint | undefined> {
      const { threadId, namespace, checkpointId } = address(config);
      const known = this.#memory.get(namespace)?.tuple.checkpoint_id;
      if (checkpointId === undefined || checkpointId === known) return this.getTuple(config);
      const read = ahead.get(checkpointId);
      if (read !== undefined) return revive(this.serde, read);
      const [tuple, { tuples }] = await Promise.all([
        this.#find(threadId, namespace, checkpointId),
        this.#options.connection.request('checkpoints.list', {
          thread_id: threadId,
          checkpoint_ns: namespace,
          before: checkpointId,
          limit: MAX_ANCESTORS,
        }),
      ]);
      for (const older of tuples) ahead.set(older.checkpoint_id, older);
      return tuple === null ? undefined : revive(this.serde, tuple);
    }

    async #find(
      threadId: string,
      namespace: string,
      id: string | undefined,
    ): Promise<CheckpointTuple | null> {
      const known = this.#memory.get(namespace);
      if (known !== undefined && (id === undefined ? known.isNewest : id === known.tuple.checkpoint_id)) {
        await known.complete;
        return { ...known.tuple, pending_writes: [...this.#memory.writes(known.tuple.checkpoint_id)] };
      }
      if (id === undefined && this.#isCertainlyEmpty(namespace)) return null;
      const { tuple } = await this.#options.connection.request('checkpoints.get', {
        thread_id: threadId,
        checkpoint_ns: namespace,
        ...(id === undefined ? {} : { checkpoint_id: id }),
      });
      return tuple;
    }

    /**
     * Whether nothing can be stored in a namespace that is not remembered. A subgraph's namespace ends in `node:task`,
     * and a task's id comes from its checkpoint's: below a checkpoint that this run made, all is new.
     */
    #isCertainlyEmpty(namespace: string): boolean {
      if (this.#memory.hasForgotten) return false;
      if (this.#options.preloaded.kind === 'empty') return true;
      const cut = namespace.lastIndexOf('|');
      if (!namespace.slice(cut + 1).includes(':')) return false;
      return this.#memory.get(cut === -1 ? '' : namespace.slice(0, cut))?.isOwn === true;
    }
  };
}
