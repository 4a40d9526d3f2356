import type { Run } from '../contract/agent-server/runs.ts';
import type { ThreadState } from '../contract/agent-server/threads.ts';

export type RunOutcome = 'success' | 'error' | 'interrupted' | 'timeout' | 'cancelled' | 'unknown';

/** A run's request for an answer from a person. */
export interface Interrupt {
  readonly id?: string | null | undefined;
  readonly value: unknown;
}

/** The facts about a run that has ended. */
export interface EndedRun {
  readonly status?: Run['status'] | undefined;
}

/**
 * How a run ended. The status `interrupted` means a canceled run; a paused run has the status of a success,
 * at least on Agent Harbor. On other servers, a question in its state shows that it paused.
 * @param state the state of its thread afterwards, if known
 */
export function outcomeOf({ status }: EndedRun, state: ThreadState | undefined): RunOutcome {
  switch (status) {
    case 'success':
    case 'error':
    case 'timeout':
      return status;
    case 'interrupted':
      return state !== undefined && interruptsOf(state).length > 0 ? 'interrupted' : 'cancelled';
    default:
      return 'unknown';
  }
}

/** Why a thread is not running. */
export type Pause =
  /** The thread's last run finished. */
  | { readonly kind: 'done' }
  /** A run waits for answers from a person. */
  | { readonly kind: 'asks'; readonly questions: readonly Interrupt[] }
  /** A breakpoint stopped a run before these nodes. */
  | { readonly kind: 'stopped'; readonly next: readonly string[] };

/** Why a thread with this state is not running. */
export function pauseOf(state: ThreadState): Pause {
  const questions = interruptsOf(state);
  if (questions.length > 0) return { kind: 'asks', questions };
  return state.next.length > 0 ? { kind: 'stopped', next: state.next } : { kind: 'done' };
}

/** The interrupts that the tasks of a state wait for. */
export function interruptsOf(state: ThreadState): Interrupt[] {
  return state.tasks.flatMap(({ interrupts }) => (interrupts ?? []).map(({ id, value }) => ({ id, value })));
}

/**
 * The outcome to show for a run. A run that only reached an interrupt or a breakpoint is not shown as a success.
 * @param end.waits whether an interrupt is unanswered
 * @param end.next nodes that would run next
 */
export function shownOutcome<Outcome extends RunOutcome>({
  outcome,
  waits = false,
  next = [],
}: {
  readonly outcome: Outcome;
  readonly waits?: boolean | undefined;
  readonly next?: readonly string[] | undefined;
}): Outcome | 'success' | 'interrupted' | 'paused' {
  if (outcome !== 'success') return outcome;
  if (waits) return 'interrupted';
  return next.length > 0 ? 'paused' : 'success';
}
