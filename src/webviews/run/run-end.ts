import type { RunOutcome } from '../../extension/panels/run/journal-entry.ts';
import { endLights, withStopped } from './task-states.ts';
import type { StopReason, Transcript } from './transcript-model.ts';

/** How a run ended, and what its thread waits for. */
export interface RunEnd {
  readonly outcome: RunOutcome;
  /** Whether an interrupt is unanswered. */
  readonly waits: boolean;
  /** Nodes that would run next. */
  readonly next: readonly string[];
}

export function isFailed({ outcome }: RunEnd): boolean {
  return outcome === 'error' || outcome === 'timeout';
}

/** Whether nothing is left to do. */
export function isDone({ outcome, waits, next }: RunEnd): boolean {
  return outcome === 'success' && !waits && next.length === 0;
}

export function stopReasonOf(end: RunEnd): StopReason {
  if (isFailed(end)) return 'failed';
  return end.outcome === 'cancelled' ? 'cancelled' : 'breakpoint';
}

export function statusOf(end: RunEnd): Transcript['status'] {
  if (end.waits) return 'interrupted';
  if (isStopped(end)) return 'paused';
  return isFailed(end) ? 'error' : 'idle';
}

export function lightsOf(lights: Transcript['lights'], end: RunEnd): Transcript['lights'] {
  const { waits, next } = end;
  if (isStopped(end)) return withStopped(endLights(lights, 'idle'), next, waits ? 'waiting' : 'paused');
  if (isFailed(end)) return endLights(lights, 'failed');
  return endLights(lights, waits ? 'waiting' : 'idle');
}

/** Whether the run stopped before nodes, so that it can be continued. */
function isStopped(end: RunEnd): boolean {
  return !isFailed(end) && end.outcome !== 'cancelled' && end.next.length > 0;
}
