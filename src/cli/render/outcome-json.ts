import type { ReplayOutcome } from '../../run-files/replay-outcome.ts';

/** The outcome of a replay as JSON, in snake case like the other JSON that commands print. */
export function outcomeJson({ threadId, runId, isNew, ...outcome }: ReplayOutcome): object {
  return { ...outcome, thread_id: threadId, run_id: runId, is_new: isNew };
}
