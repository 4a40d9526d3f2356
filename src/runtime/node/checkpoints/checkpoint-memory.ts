import type { CheckpointTuple, PendingWrite } from '../../protocol/protocol.ts';

/** A checkpoint that a run has read or written. */
export interface KnownCheckpoint {
  readonly tuple: CheckpointTuple;
  /** The version of each channel that has a value. */
  readonly versions: Readonly<Record<string, string>>;
  /** Whether the checkpoint is the newest in its namespace. */
  readonly isNewest: boolean;
  /** Whether this run made the checkpoint. */
  readonly isOwn: boolean;
  /** Resolves when all values of the tuple are known. */
  readonly complete: Promise<unknown>;
}

/**
 * Beyond this number of namespaces, the subgraph that was updated least recently is dropped. Its checkpoint
 * is requested from the server when it is needed again.
 */
const MAX_NAMESPACES = 64;

/** Cached checkpoints of a run: one per namespace, with its writes. */
export class CheckpointMemory {
  readonly #byNamespace = new Map<string, KnownCheckpoint>();
  readonly #writes = new Map<string, PendingWrite[]>();
  /** Whether a namespace was dropped. */
  hasForgotten = false;

  get(namespace: string): KnownCheckpoint | undefined {
    return this.#byNamespace.get(namespace);
  }

  /**
   * Replaces the cached checkpoint of the namespace. Writes that arrived before their checkpoint are kept.
   */
  remember(known: KnownCheckpoint): void {
    const { checkpoint_ns: namespace, checkpoint_id: id, pending_writes } = known.tuple;
    const before = this.#byNamespace.get(namespace);
    if (before !== undefined && before.tuple.checkpoint_id !== id) {
      this.#writes.delete(before.tuple.checkpoint_id);
    }
    this.addWrites(id, pending_writes);
    this.#byNamespace.delete(namespace);
    this.#byNamespace.set(namespace, known);
    if (this.#byNamespace.size > MAX_NAMESPACES) this.#forgetOldest();
  }

  /**
   * Adds writes as the server stores them: special writes (with an index below 0) replace earlier ones,
   * others stay as first written.
   */
  addWrites(checkpointId: string, added: readonly PendingWrite[]): void {
    if (added.length === 0) return;
    const kept = this.#writes.get(checkpointId) ?? [];
    this.#writes.set(checkpointId, kept);
    for (const write of added) {
      const at = kept.findIndex((one) => one.task_id === write.task_id && one.index === write.index);
      if (at === -1) kept.push(write);
      else if (write.index < 0) kept[at] = write;
    }
  }

  writes(checkpointId: string): readonly PendingWrite[] {
    return this.#writes.get(checkpointId) ?? [];
  }

  clear(): void {
    this.#byNamespace.clear();
    this.#writes.clear();
  }

  #forgetOldest(): void {
    for (const [namespace, { tuple }] of this.#byNamespace) {
      if (namespace === '') continue;
      this.#byNamespace.delete(namespace);
      this.#writes.delete(tuple.checkpoint_id);
      this.hasForgotten = true;
      return;
    }
  }
}
