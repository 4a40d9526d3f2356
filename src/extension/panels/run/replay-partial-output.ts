import type { Client } from '../../../client/client.ts';
import { RequestError } from '../../../client/request-error.ts';
import { interruptsOf } from '../../../terms/run-outcome.ts';
import type { Journal } from './journal.ts';
import type { ThreadReading } from './thread-reading.ts';

interface ReplayOptions {
  readonly client: Client;
  readonly threadId: string;
  readonly journal: Journal;
  readonly signal: AbortSignal;
}

/**
 * Replays the partial output of a canceled or failed run: no state contains it, only the run's events while
 * they are kept. For other runs, the state contains everything.
 * @throws the signal's reason when aborted
 */
export async function replayPartialOutput(
  { state, last: { run_id: runId, status } = {} }: ThreadReading,
  { client, threadId, journal, signal }: ReplayOptions,
): Promise<void> {
  if (runId === undefined || status === 'success' || interruptsOf(state).length > 0) return;
  journal.add({ type: 'run-started', run_id: runId, thread_id: threadId });
  try {
    const stream = await client.runs.joinStream(
      { params: { thread_id: threadId, run_id: runId }, query: { stream_mode: ['messages-tuple'] } },
      { signal, headers: { 'last-event-id': '-1' } },
    );
    for await (const { kind, event, data } of stream)
      if (kind === 'messages') journal.addEvent(runId, { event, data });
  } catch (error) {
    // Not every server keeps events of ended runs; the state is already shown.
    if (!(error instanceof RequestError)) throw error;
  }
}
