import { z } from 'zod';
import type { Client } from '../../../client/client.ts';
import { eachPage } from '../../../client/each-page.ts';
import type { ThreadState } from '../../../contract/agent-server/threads.ts';
import { type EndedRun, interruptsOf, outcomeOf } from '../../../terms/run-outcome.ts';
import { millisecondsBetween } from '../../../terms/times.ts';
import type { FeedbackLinks } from './feedback-links.ts';
import type { Journal } from './journal.ts';
import { sendCosts } from './run-trace.ts';

interface EarlierRunsOptions {
  readonly client: Client;
  readonly threadId: string;
  /** The newest run, which is shown already. */
  readonly except: string | undefined;
  readonly journal: Journal;
  readonly feedback: FeedbackLinks;
  readonly signal: AbortSignal;
}

const PAGE_SIZE = 20;
/** The maximum number of runs. It is limited because a state is read for each run. */
const MAX_RUNS = 100;

/**
 * Sends a panel the ends of a thread's earlier runs, newest first, each with the last message of its turn.
 * Runs whose last message is not known have no place in the conversation, and are left out.
 * @throws RequestError, and the signal's reason when aborted
 */
export async function sendEarlierRuns(options: EarlierRunsOptions): Promise<void> {
  const { client, threadId, except, journal, feedback, signal } = options;
  const params = { thread_id: threadId };
  const idOf = ({ run_id }: { readonly run_id?: string | undefined }) => run_id;
  const pages = eachPage({ idOf, pageSize: PAGE_SIZE, limit: MAX_RUNS }, (page) =>
    client.runs.list(
      { params, query: { ...page, select: ['run_id', 'status', 'created_at', 'updated_at'] } },
      { signal },
    ),
  );
  for await (const page of pages) {
    const sent: string[] = [];
    for (const run of page) {
      const { run_id } = run;
      if (run_id === undefined || run_id === except || !hasEnded(run)) continue;
      const [state] = await client.threads.history(
        { params, body: { limit: 1, metadata: { run_id } } },
        { signal },
      );
      const message_id = state && lastMessageId(state);
      if (state === undefined || message_id === undefined) continue;
      sent.push(run_id);
      journal.add({
        type: 'turn-ended',
        run_id,
        message_id,
        outcome: interruptsOf(state).length > 0 ? 'interrupted' : outcomeOf(run, state),
        duration_ms: millisecondsBetween(run.created_at, run.updated_at),
        next: state.next,
      });
    }
    if (sent.length > 0) {
      await feedback.recall(sent, journal, signal);
      await sendCosts(client, sent, { journal, signal });
    }
  }
}

function hasEnded({ status }: EndedRun): boolean {
  return status !== undefined && status !== 'pending' && status !== 'running';
}

const MessagesState = z.looseObject({
  messages: z.array(z.looseObject({ type: z.string(), id: z.string().nullish() })),
});

/** The ID of the last message of a person or a model; results of tools are shown with their calls. */
function lastMessageId({ values }: ThreadState): string | undefined {
  const messages = MessagesState.safeParse(values).data?.messages ?? [];
  return messages.findLast(({ type, id }) => /^(?:human|ai)/i.test(type) && id)?.id ?? undefined;
}
