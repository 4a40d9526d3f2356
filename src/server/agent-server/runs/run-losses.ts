import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { LiveRun } from './live-run.ts';

/** A run ends when its process has been lost this many times at the same step. */
export const MAX_LOSSES = 3;
/** The limit for all servers together. It is higher, because a run rarely causes the end of a server. */
export const MAX_LOSSES_TOTAL = 10;

/**
 * How many times this server has lost the run's process at its current step. If this server has not started
 * the run yet, the losses of all earlier servers are counted.
 */
export async function countLosses(
  { identity, attempt, earlierAttempts }: LiveRun,
  checkpoints: Pick<CheckpointStore, 'findLastAttempt'>,
): Promise<number> {
  const lastStored = await checkpoints.findLastAttempt(identity.threadId, identity.runId);
  const first = attempt === earlierAttempts ? 1 : earlierAttempts + 1;
  return attempt - Math.max(lastStored, first) + 1;
}
