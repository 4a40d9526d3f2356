import type { Client } from '../../../client/client.ts';
import { outcomeOf } from '../../../terms/run-outcome.ts';
import { millisecondsBetween } from '../../../terms/times.ts';
import { sendEarlierRuns } from './earlier-runs.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import { sendMessageNodes } from './message-nodes.ts';
import { replayPartialOutput } from './replay-partial-output.ts';
import { sendCost } from './run-trace.ts';
import { historyOf, type ThreadReading } from './thread-reading.ts';

interface PlayThreadOptions {
  readonly client: Client;
  readonly threadId: string;
  /** The checkpoint that is shown, unless it is the newest. */
  readonly checkpointId: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  /** Aborted when something else is shown, so that nothing more is sent. */
  readonly signal: AbortSignal;
  /** Called with errors of background work. */
  readonly onError: (error: unknown) => void;
}

/**
 * Sends a panel the contents of a thread, and the end of its newest run unless that is active.
 * @throws RequestError, and the signal's reason when aborted
 */
export async function playThread(reading: ThreadReading, options: PlayThreadOptions): Promise<void> {
  const { state, last, isActive } = reading;
  const { client, checkpointId, journal, feedback, signal } = options;
  journal.add(historyOf(reading, checkpointId));
  void sendDetails(last?.run_id, options);
  if (last?.run_id === undefined || isActive) return;
  await replayPartialOutput(reading, options);
  signal.throwIfAborted();
  journal.add({
    type: 'run-ended',
    run_id: last.run_id,
    outcome: outcomeOf(last, state),
    duration_ms: millisecondsBetween(last.created_at, last.updated_at),
    next: state.next,
  });
  await feedback.recall([last.run_id], journal, signal);
  void sendCost(client, last.run_id, { journal, signal });
}

/**
 * Sends earlier runs and the nodes of messages in the background: the thread can be continued before they are
 * known.
 */
async function sendDetails(except: string | undefined, options: PlayThreadOptions): Promise<void> {
  const { signal, onError } = options;
  try {
    await Promise.all([sendMessageNodes(options), sendEarlierRuns({ ...options, except })]);
  } catch (error) {
    if (!signal.aborted) onError(error);
  }
}
