import type { Client } from '../../../client/client.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { type EndedRun, interruptsOf } from '../../../terms/run-outcome.ts';
import { isNotFound } from '../../dialogs/errors.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';
import { stateAt } from '../../states/state-at.ts';
import type { JournalEntry } from './journal-entry.ts';

/** The contents of a thread at a checkpoint, or at its newest. */
export interface ThreadReading {
  readonly state: ThreadState;
  /** The newest run; of the newest state only. */
  readonly last: (EndedRun & { readonly run_id?: string | undefined }) | undefined;
  readonly isGoing: boolean;
}

/** Distinguishes what has been read of a thread. */
export interface ThreadMark {
  readonly checkpointId: string | undefined;
  readonly runId: string | undefined;
}

/**
 * Reads a thread.
 * @returns `undefined` when the thread no longer exists.
 * @throws RequestError
 */
export async function readThread(
  client: Client,
  thread_id: string,
  checkpointId: string | undefined,
): Promise<ThreadReading | undefined> {
  try {
    const state = await stateAt(client, thread_id, checkpointId);
    const [last] =
      checkpointId === undefined
        ? await client.runs.list({ params: { thread_id }, query: { limit: 1 } })
        : [];
    return { state, last, isGoing: last?.status === 'pending' || last?.status === 'running' };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export function markOf({ state, last }: ThreadReading): ThreadMark {
  return { checkpointId: checkpointIdOf(state), runId: last?.run_id };
}

/** How the journal records it. @param checkpoint_id the one that is shown, when it is not the newest */
export function historyOf(
  { state, isGoing }: ThreadReading,
  checkpoint_id: string | undefined,
): JournalEntry {
  return {
    type: 'history',
    values: state.values,
    interrupts: isGoing ? [] : interruptsOf(state),
    next: isGoing ? [] : state.next,
    checkpoint_id,
  };
}
