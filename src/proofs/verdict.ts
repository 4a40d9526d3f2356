import type { ScoredRun } from '../evaluation/verdict.ts';
import type { ReplayOutcome } from '../run-files/replay-outcome.ts';

/**
 * How the replay of a recorded run ended, compared with the recorded run:
 * - `fixed`: the recorded run failed, or its result was wrong, and the replay is right.
 * - `past_failure`: the replay passed the point of failure, and then made a request that the recording cannot
 *   answer.
 * - `still_failing`: it fails in the same way.
 * - `another_failure`: it fails in another way, or its result has become wrong.
 * - `unchanged`, `changed`: nothing failed, and no evaluator called a result wrong. The run is the same or
 *   has changed.
 * - `new_request`: it made a request that was not recorded, before the point of failure if the recorded run
 *   failed.
 */
export type Verdict =
  | 'fixed'
  | 'past_failure'
  | 'still_failing'
  | 'another_failure'
  | 'unchanged'
  | 'changed'
  | 'new_request';

/**
 * Why the result of a run is wrong, according to its evaluators; empty when it is right. Undefined if no evaluator was
 * called.
 */
export type Failures = ScoredRun['failures'] | undefined;

/** Whether a run with this status failed. */
export function isFailure(status: string | undefined): boolean {
  return status === 'error' || status === 'timeout';
}

/**
 * Decides the verdict on a replay.
 * @param before the failures of the recorded run
 * @param now the failures of the replay
 */
export function verdictOf(outcome: ReplayOutcome, before: Failures, now: Failures): Verdict {
  const didFail = isFailure(outcome.ends?.recorded?.status);
  if (outcome.kind === 'diverged') {
    // Without a nearest request, all recorded ones had been answered, also the last before the failure.
    const { nearest, repeated } = outcome.divergence;
    return didFail && nearest === null && !repeated ? 'past_failure' : 'new_request';
  }
  if (outcome.kind === 'ended' && isFailure(outcome.ends?.now.status)) return 'another_failure';
  if (didFail && outcome.kind !== 'ended') return 'still_failing';
  if (now !== undefined && now.length > 0)
    return didFail || before === undefined || before.length === 0 ? 'another_failure' : 'still_failing';
  if (didFail || (before !== undefined && before.length > 0)) return 'fixed';
  return outcome.kind === 'same' ? 'unchanged' : 'changed';
}

/** Whether the verdict proves that the fault is gone, as far as the recording can show that. */
export function isProved(verdict: Verdict): boolean {
  return verdict === 'fixed' || verdict === 'past_failure';
}
