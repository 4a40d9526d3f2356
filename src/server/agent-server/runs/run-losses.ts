import type { CheckpointStore } from '../checkpoints/checkpoint-store.ts';
import type { LiveRun } from './live-run.ts';

/** Times that a graph's process may be lost at one step of a run. */
export const MAX_LOSSES = 3;
/** The same over the lives of several servers: what ends a server has seldom to do with the run, unless it always does. */
export const MAX_LOSSES_OVER_ALL = 10;

/** How often the process of a run was lost where the run is now; what servers before this one saw counts for those alone. */
export async function lossesHere(
  { identity, attempt, earlierAttempts }: LiveRun,
  checkpoints: Pick<CheckpointStore, 'lastAttemptToStore'>,
): Promise<number> {
  const arrived = await checkpoints.lastAttemptToStore(identity.threadId, identity.runId);
  const first = attempt === earlierAttempts ? 1 : earlierAttempts + 1;
  return attempt - Math.max(arrived, first) + 1;
}
