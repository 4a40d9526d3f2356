import type { CheckpointStore } from '../data/checkpoints/checkpoint-store.ts';
import type { LiveRun } from './live-run.ts';

/** How many times the process may be lost at the same step of a run. */
export const MAX_LOSSES = 3;
/** The same limit across server restarts, which are rarely caused by the run. */
export const MAX_LOSSES_TOTAL = 10;

/** How often the process was lost at the current step; losses of earlier servers are counted separately. */
export async function countLosses(
  { identity, attempt, earlierAttempts }: LiveRun,
  checkpoints: Pick<CheckpointStore, 'findLastAttempt'>,
): Promise<number> {
  const arrived = await checkpoints.findLastAttempt(identity.threadId, identity.runId);
  const first = attempt === earlierAttempts ? 1 : earlierAttempts + 1;
  return attempt - Math.max(arrived, first) + 1;
}
