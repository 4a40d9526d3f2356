import type { BaseCheckpointSaver } from '@langchain/langgraph';
import type { SerializedValue } from '../../protocol/protocol.ts';
import { serialize } from './checkpoint-format.ts';
import type { KnownCheckpoint } from './checkpoint-memory.ts';
import type { Checkpoint } from './saved-checkpoint.ts';

/**
 * Serializes the values of a checkpoint that its parent does not have. New values are recognized by their
 * versions, not by the caller's `newVersions`, which lack values without a new version (snapshots of delta
 * channels).
 * @returns the `versions` and values of `all` channels that have one, and the `changed` values to store; these
 * three are filled in until `complete` resolves
 */
export function serializeValues(
  serde: BaseCheckpointSaver['serde'],
  checkpoint: Checkpoint,
  parent: KnownCheckpoint | undefined,
) {
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
      serialize(serde, value).then((serialized) => {
        all[channel] = serialized;
        // A channel that was never written has a default value, but no version. While the value is the same,
        // the channel keeps the version with which it was first stored.
        if (version === undefined && parentVersion !== undefined && parentValue?.data === serialized.data) {
          versions[channel] = parentVersion;
        } else changed[channel] = serialized;
      }),
    );
  }
  return { versions, all, changed, complete: Promise.all(pending) };
}
