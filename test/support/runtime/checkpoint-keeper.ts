import type {
  CheckpointListParams,
  CheckpointPutParams,
  CheckpointPutWritesParams,
  CheckpointTuple,
  PendingWrite,
  SerializedValue,
} from '../../../src/runtime/protocol/protocol.ts';

/**
 * Checkpoints in memory, by the rules of the protocol document: channel values are kept once per version, the first
 * value of a version stays, writes are kept by task and index, special ones are replaced.
 */
export class CheckpointKeeper {
  readonly #checkpoints = new Map<string, CheckpointPutParams>();
  readonly #values = new Map<string, SerializedValue>();
  readonly #writes = new Map<string, PendingWrite[]>();

  put(put: CheckpointPutParams): void {
    for (const [channel, value] of Object.entries(put.channel_values)) {
      const key = valueKey(put, channel, put.channel_versions[channel]);
      if (!this.#values.has(key)) this.#values.set(key, value);
    }
    this.#checkpoints.set(placeKey(put), put);
  }

  putWrites(put: CheckpointPutWritesParams): void {
    const kept = this.#writes.get(placeKey(put)) ?? [];
    for (const write of put.writes) {
      const at = kept.findIndex(({ task_id, index }) => task_id === write.task_id && index === write.index);
      if (at === -1) kept.push(write);
      else if (write.index < 0) kept[at] = write;
    }
    this.#writes.set(placeKey(put), kept);
  }

  get(threadId: string, namespace = '', id?: string): CheckpointTuple | null {
    const [tuple] = this.list({ thread_id: threadId, checkpoint_ns: namespace }).filter(
      ({ checkpoint_id }) => id === undefined || checkpoint_id === id,
    );
    return tuple ?? null;
  }

  /** Newest first. */
  list({
    thread_id,
    checkpoint_ns,
    checkpoint_id,
    before,
    limit,
    filter = {},
  }: CheckpointListParams): CheckpointTuple[] {
    return [...this.#checkpoints.values()]
      .filter((put) => put.thread_id === thread_id)
      .filter((put) => checkpoint_ns === undefined || put.checkpoint_ns === checkpoint_ns)
      .filter((put) => checkpoint_id === undefined || put.checkpoint_id === checkpoint_id)
      .filter((put) => before === undefined || put.checkpoint_id < before)
      .filter((put) =>
        Object.entries(filter).every(
          ([key, value]) => JSON.stringify(put.metadata[key]) === JSON.stringify(value),
        ),
      )
      .sort((a, b) => (a.checkpoint_id < b.checkpoint_id ? 1 : -1))
      .slice(0, limit)
      .map((put) => this.#complete(put));
  }

  deleteThread(threadId: string): void {
    for (const [key, put] of this.#checkpoints) {
      if (put.thread_id === threadId) this.#checkpoints.delete(key);
    }
  }

  #complete(put: CheckpointPutParams): CheckpointTuple {
    const channel_values: Record<string, SerializedValue> = {};
    for (const [channel, version] of Object.entries(put.channel_versions)) {
      const value = this.#values.get(valueKey(put, channel, version));
      if (value === undefined) throw new Error(`The value of '${channel}' at ${version} was never put.`);
      channel_values[channel] = value;
    }
    const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata } = put;
    return {
      thread_id,
      checkpoint_ns,
      checkpoint_id,
      parent_checkpoint_id,
      checkpoint,
      metadata,
      channel_versions: put.channel_versions,
      channel_values,
      pending_writes: [...(this.#writes.get(placeKey(put)) ?? [])],
    };
  }
}

interface Place {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

function placeKey({ thread_id, checkpoint_ns, checkpoint_id }: Place): string {
  return JSON.stringify([thread_id, checkpoint_ns, checkpoint_id]);
}

function valueKey({ thread_id, checkpoint_ns }: Place, channel: string, version: string | undefined): string {
  if (version === undefined) throw new Error(`'${channel}' was put without a version.`);
  return JSON.stringify([thread_id, checkpoint_ns, channel, version]);
}
