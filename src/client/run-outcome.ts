import type { Run } from '../contract/agent-server/runs.ts';
import type { ThreadState } from '../contract/agent-server/threads.ts';

export type RunOutcome = 'success' | 'error' | 'interrupted' | 'timeout' | 'cancelled' | 'unknown';

/** A request of a run for a person's answer. */
export interface Interrupt {
  readonly id?: string | null | undefined;
  readonly value: unknown;
}

/** The facts read of a run that has ended. */
export interface EndedRun {
  readonly status?: Run['status'] | undefined;
  readonly created_at?: string | undefined;
  readonly updated_at?: string | undefined;
}

/**
 * How a run ended. The status `interrupted` is that of a canceled run: one that pauses has succeeded so far, and says
 * so on Agent Harbor. Where it does not, a question in its state shows that it paused.
 * @param state what its thread holds afterwards, where that is known
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

/** The requests that a state's tasks wait for. */
export function interruptsOf(state: ThreadState): Interrupt[] {
  return state.tasks.flatMap(({ interrupts }) => (interrupts ?? []).map(({ id, value }) => ({ id, value })));
}
