import type { Run } from '../../../contract/agent-server/runs.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import type { Interrupt, RunOutcome } from './messages.ts';

/** What is read of a run that has ended. */
export interface EndedRun {
  readonly status?: Run['status'] | undefined;
  readonly created_at?: string | undefined;
  readonly updated_at?: string | undefined;
}

/**
 * How a run ended.
 * @param interrupted what the status `interrupted` means: paused by the graph, or cancelled by a person.
 */
export function outcomeOf({ status }: EndedRun, interrupted: 'interrupted' | 'cancelled'): RunOutcome {
  switch (status) {
    case 'success':
    case 'error':
    case 'timeout':
      return status;
    case 'interrupted':
      return interrupted;
    default:
      return 'unknown';
  }
}

/** What a state's tasks wait for. */
export function interruptsOf(state: ThreadState): Interrupt[] {
  return state.tasks.flatMap(({ interrupts }) => (interrupts ?? []).map(({ id, value }) => ({ id, value })));
}
