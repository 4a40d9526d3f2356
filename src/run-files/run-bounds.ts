import type { Client } from '../client/client.ts';
import { exportThreads } from '../client/export-threads.ts';

/** The checkpoints between which a run took place. */
export interface Bounds {
  /** Null for a run that began without a state. */
  start: string | null;
  end: string;
}

/**
 * Finds the checkpoint that each run of a thread started from, and its last checkpoint.
 * @returns the bounds by the ID of the run; a run without a checkpoint is missing
 * @throws RequestError
 */
export async function findBounds(
  client: Pick<Client, 'archive'>,
  threadId: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Bounds>> {
  const bounds = new Map<string, Bounds>();
  for await (const line of exportThreads(client, [threadId], { signal })) {
    // An archive has all checkpoints, oldest first, before values and writes.
    if (line.kind === 'value' || line.kind === 'write') break;
    if (line.kind !== 'checkpoint' || line.checkpoint_ns !== '' || line.run_id === null) continue;
    const { checkpoint_id, parent_checkpoint_id, run_id } = line;
    const known = bounds.get(run_id);
    const start = known === undefined ? parent_checkpoint_id : known.start;
    bounds.set(run_id, { start, end: checkpoint_id });
  }
  return bounds;
}
