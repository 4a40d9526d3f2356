import type {
  BaseCheckpointSaver,
  CheckpointMetadata,
  CheckpointTuple as SavedCheckpoint,
} from '@langchain/langgraph';
import type { CheckpointTuple } from '../../protocol/protocol.ts';
import { byTaskPath, deserialize } from './checkpoint-format.ts';
import type { KnownCheckpoint } from './checkpoint-memory.ts';

export type Checkpoint = Parameters<BaseCheckpointSaver['put']>[1];
export type Config = Parameters<BaseCheckpointSaver['getTuple']>[0];

/** The place of a checkpoint. */
export interface CheckpointAddress {
  readonly threadId: string;
  /** The path of a subgraph; empty for the root graph. */
  readonly namespace: string;
  /** Undefined for the newest checkpoint of the namespace. */
  readonly checkpointId: string | undefined;
}

/**
 * The place of the checkpoint that a config refers to.
 * @throws Error when the config names no thread
 */
export function addressOf(config: Config): CheckpointAddress {
  const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
  if (typeof thread_id !== 'string') throw new Error('configurable.thread_id is missing.');
  return {
    threadId: thread_id,
    namespace: typeof checkpoint_ns === 'string' ? checkpoint_ns : '',
    checkpointId: typeof checkpoint_id === 'string' && checkpoint_id !== '' ? checkpoint_id : undefined,
  };
}

/**
 * Converts a stored checkpoint to LangGraph's form. The values are new objects, so LangGraph may change
 * them.
 */
export async function revive(
  serde: BaseCheckpointSaver['serde'],
  tuple: CheckpointTuple,
): Promise<SavedCheckpoint> {
  const { thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id } = tuple;
  const [values, pendingWrites] = await Promise.all([
    Promise.all(
      Object.entries(tuple.channel_values).map(
        async ([channel, value]) => [channel, await deserialize(serde, value)] as const,
      ),
    ),
    Promise.all(
      [...tuple.pending_writes]
        .sort(byTaskPath)
        .map(
          async ({ task_id, channel, value }): Promise<[string, string, unknown]> => [
            task_id,
            channel,
            await deserialize(serde, value),
          ],
        ),
    ),
  ]);
  const at = (id: string) => ({ configurable: { thread_id, checkpoint_ns, checkpoint_id: id } });
  return {
    config: at(checkpoint_id),
    checkpoint: { ...parseEnvelope(tuple), channel_values: Object.fromEntries(values) },
    metadata: tuple.metadata as CheckpointMetadata,
    pendingWrites,
    ...(parent_checkpoint_id === null ? {} : { parentConfig: at(parent_checkpoint_id) }),
  };
}

/** Prepares a checkpoint from the server for the cache of a run. */
export function toKnown(tuple: CheckpointTuple, isNewest: boolean): KnownCheckpoint {
  const versions =
    tuple.channel_versions ??
    Object.fromEntries(
      Object.entries(parseEnvelope(tuple).channel_versions).map(([channel, version]) => [
        channel,
        String(version),
      ]),
    );
  return { tuple, versions, isNewest, isOwn: false, complete: Promise.resolve() };
}

/** Parses the checkpoint without its values, an envelope that this runtime writes as plain JSON. */
function parseEnvelope(tuple: CheckpointTuple): Checkpoint {
  return JSON.parse(tuple.checkpoint.data);
}
