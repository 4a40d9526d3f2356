import type { Client } from '../../../client/client.ts';
import { isNotFound } from '../../../client/request-error.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { interruptsOf } from '../../../terms/run-outcome.ts';
import { checkpointIdOf } from '../../states/checkpoint-ids.ts';
import { readStateAt } from '../../states/state-at.ts';
import type { JournalEntry } from './journal-entry.ts';

/** A run in a list. */
export type ListedRun = Awaited<ReturnType<Client['runs']['list']>>[number];

/** The maximum number of pending runs that are searched. */
const MAX_PENDING = 1000;

/** The contents of a thread at a checkpoint, by default the newest. */
export interface ThreadReading {
  readonly state: ThreadState;
  /** The current run, else the newest one; undefined at an earlier checkpoint. */
  readonly last: ListedRun | undefined;
  readonly isActive: boolean;
}

/** Identifies the contents of a thread that were read: if the contents change, so does the mark. */
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
    if (checkpointId !== undefined) {
      const state = await readStateAt(client, thread_id, checkpointId);
      return { state, last: undefined, isActive: false };
    }
    // Runs are read before the state, so the effect of a run in the meantime may be in both, but never in
    // neither.
    const [newest] = await client.runs.list({ params: { thread_id }, query: { limit: 1 } });
    const last = isActive(newest) ? ((await findActive(client, thread_id)) ?? newest) : newest;
    const state = await readStateAt(client, thread_id, undefined);
    return { state, last, isActive: isActive(last) };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Finds the current run of a thread, or the next one.
 * @throws RequestError
 */
export async function findActive(client: Client, thread_id: string): Promise<ListedRun | undefined> {
  const params = { thread_id };
  // In this order, a run that begins between the two requests is found.
  const pending = await client.runs.list({ params, query: { status: 'pending', limit: MAX_PENDING } });
  const running = await client.runs.list({ params, query: { status: 'running', limit: 1 } });
  return activeOf([...running, ...pending]);
}

/** The current one of a thread's runs, or the next one. @param runs newest first */
export function activeOf(runs: readonly ListedRun[]): ListedRun | undefined {
  return runs.find(({ status }) => status === 'running') ?? runs.findLast(isPending);
}

/** Whether a run waits for its turn. */
export function isPending({ status }: ListedRun): boolean {
  return status === 'pending';
}

function isActive(run: ListedRun | undefined): boolean {
  return run?.status === 'pending' || run?.status === 'running';
}

/** The mark of contents that were read. */
export function markOf({ state, last }: ThreadReading): ThreadMark {
  return { checkpointId: checkpointIdOf(state), runId: last?.run_id };
}

/**
 * The journal entry with the contents of a thread.
 * @param checkpoint_id of the contents, if they are not the newest
 */
export function historyOf(
  { state, isActive }: ThreadReading,
  checkpoint_id: string | undefined,
): JournalEntry {
  return {
    type: 'history',
    values: state.values,
    interrupts: isActive ? [] : interruptsOf(state),
    next: isActive ? [] : state.next,
    checkpoint_id,
  };
}
