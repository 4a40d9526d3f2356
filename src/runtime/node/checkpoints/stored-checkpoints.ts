import type { BaseCheckpointSaver, CheckpointTuple as SavedCheckpoint } from '@langchain/langgraph';
import type { CheckpointTuple } from '../../protocol/protocol.ts';
import type { ServerConnection } from '../link/server-link.ts';
import type { CheckpointMemory } from './checkpoint-memory.ts';
import type { Preloaded } from './preloaded.ts';
import { addressOf, type CheckpointAddress, type Config, revive } from './saved-checkpoint.ts';

/** How many ancestors are read at once, for channels that are rebuilt from the writes of ancestors. */
const MAX_ANCESTORS = 32;

export interface StoredCheckpointsParts {
  readonly connection: ServerConnection;
  readonly preloaded: Preloaded;
  /** The cached checkpoints of a thread; undefined for a thread that is not cached. */
  memoryOf(threadId: string): CheckpointMemory | undefined;
  /** The checkpointer whose serializer is used. */
  readonly saver: Pick<BaseCheckpointSaver, 'serde'>;
}

/** Reads checkpoints from the memory if it has them, otherwise from the server. */
export class StoredCheckpoints {
  readonly #connection: ServerConnection;
  readonly #preloaded: Preloaded;
  readonly #memoryOf: StoredCheckpointsParts['memoryOf'];
  readonly #saver: Pick<BaseCheckpointSaver, 'serde'>;

  constructor({ connection, preloaded, memoryOf, saver }: StoredCheckpointsParts) {
    this.#connection = connection;
    this.#preloaded = preloaded;
    this.#memoryOf = memoryOf;
    this.#saver = saver;
  }

  /** Reads the checkpoint that a config refers to, in LangGraph's form. */
  async get(config: Config): Promise<SavedCheckpoint | undefined> {
    const tuple = await this.#find(addressOf(config));
    return tuple === null ? undefined : revive(this.#saver.serde, tuple);
  }

  /** Reads a checkpoint with a page of its ancestors, which `ahead` keeps for the next calls. */
  async getAncestor(
    config: Config,
    ahead: Map<string, CheckpointTuple>,
  ): Promise<SavedCheckpoint | undefined> {
    const address = addressOf(config);
    const { threadId, namespace, checkpointId } = address;
    const known = this.#memoryOf(threadId)?.get(namespace)?.tuple.checkpoint_id;
    if (checkpointId === undefined || checkpointId === known) return this.get(config);
    const read = ahead.get(checkpointId);
    if (read !== undefined) return revive(this.#saver.serde, read);
    const [tuple, { tuples }] = await Promise.all([
      this.#find(address),
      this.#connection.request('checkpoints.list', {
        thread_id: threadId,
        checkpoint_ns: namespace,
        before: checkpointId,
        limit: MAX_ANCESTORS,
      }),
    ]);
    for (const older of tuples) ahead.set(older.checkpoint_id, older);
    return tuple === null ? undefined : revive(this.#saver.serde, tuple);
  }

  /** Finds a checkpoint; null when there is none. */
  async #find({ threadId, namespace, checkpointId: id }: CheckpointAddress): Promise<CheckpointTuple | null> {
    const memory = this.#memoryOf(threadId);
    const known = memory?.get(namespace);
    if (
      memory !== undefined &&
      known !== undefined &&
      (id === undefined ? known.isNewest : id === known.tuple.checkpoint_id)
    ) {
      await known.complete;
      return { ...known.tuple, pending_writes: [...memory.writes(known.tuple.checkpoint_id)] };
    }
    if (memory !== undefined && id === undefined && this.#isCertainlyEmpty(namespace, memory)) return null;
    const { tuple } = await this.#connection.request('checkpoints.get', {
      thread_id: threadId,
      checkpoint_ns: namespace,
      ...(id === undefined ? {} : { checkpoint_id: id }),
    });
    return tuple;
  }

  /**
   * Whether the server cannot have checkpoints in a namespace that is not in memory. The namespace of a
   * subgraph ends in `node:task`, and the task's ID is derived from its checkpoint. So below a checkpoint
   * that this run made, every namespace is new.
   */
  #isCertainlyEmpty(namespace: string, memory: CheckpointMemory): boolean {
    if (memory.hasForgotten) return false;
    if (this.#preloaded.kind === 'empty') return true;
    const cut = namespace.lastIndexOf('|');
    if (!namespace.slice(cut + 1).includes(':')) return false;
    return memory.get(cut === -1 ? '' : namespace.slice(0, cut))?.isOwn === true;
  }
}
