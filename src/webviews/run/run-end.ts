import type { RunOutcome } from '../../extension/panels/run/journal-entry.ts';
import { endProgress, withStopped } from './node-progress.ts';
import type { StopReason, Transcript } from './transcript-model.ts';

/** How a run ended, and what its thread waits for. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  /** Whether an interrupt is unanswered. */
  readonly waits: boolean;
  /** Nodes that would run next. */
  readonly next: readonly string[];
}

export function isFailed({ outcome }: Pick<RunEnd, 'outcome'>): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

/** Whether the thread has nothing left to run. */
export function isDone({ outcome, waits, next }: RunEnd): boolean {
  return outcome === 'success' && !waits && next.length === 0;
}

/** Why a thread stopped after a run that does not wait for an answer. */
export function stopReasonOf(end: RunEnd): StopReason {
  if (isFailed(end)) return 'failed';
  return end.outcome === 'cancelled' ? 'cancelled' : 'breakpoint';
}

/** The status of the thread after the run. */
export function statusOf(end: RunEnd): Transcript['status'] {
  if (end.waits) return 'interrupted';
  if (isStopped(end)) return 'paused';
  return isFailed(end) ? 'error' : 'idle';
}

/** The progress of the nodes after the run: none is running. */
export function progressOf(
  nodeProgress: Transcript['nodeProgress'],
  end: RunEnd,
): Transcript['nodeProgress'] {
  const { waits, next } = end;
  if (isStopped(end))
    return withStopped(endProgress(nodeProgress, 'idle'), next, waits ? 'waiting' : 'paused');
  if (isFailed(end)) return endProgress(nodeProgress, 'failed');
  return endProgress(nodeProgress, waits ? 'waiting' : 'idle');
}

/** Whether the run stopped before nodes, and can be continued. */
function isStopped(end: RunEnd): boolean {
  return !isFailed(end) && end.outcome !== 'cancelled' && end.next.length > 0;
}
