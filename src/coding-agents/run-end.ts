import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { errorPlace } from '../client/error-frames.ts';
import { withPlainMessages } from '../client/plain-messages.ts';
import { readErrorStack } from '../client/read-error-stack.ts';
import { readableState } from '../client/readable-state.ts';
import { settled } from '../process/settled.ts';
import { errorHead } from '../terms/error-text.ts';
import { interruptsOf, outcomeOf, shownOutcome } from '../terms/run-outcome.ts';
import { bounded, MAX_ANSWER } from './bounded.ts';
import { placeText } from './places.ts';
import type { ToolContext } from './tool-context.ts';

/** The schema for the end of a run in answers of tools. */
export const RunEnd = z.object({
  thread_id: z.string(),
  trace_id: z.string().describe('Also the ID of the run'),
  outcome: z.enum(['success', 'interrupted', 'paused', 'error', 'timeout', 'cancelled', 'unknown']),
  values: z.unknown(),
  next: z.array(z.string()),
  questions: z.array(z.unknown()).describe('The questions of the run; pass the answers to the tool answer'),
  error: z.string().optional(),
  place: z.string().optional().describe('file:line where the error was thrown'),
});

/**
 * Starts a run on a thread, with an input or with the answer to the thread's question, and waits for its
 * end.
 */
export async function runToEnd(
  context: ToolContext,
  client: Client,
  run: {
    readonly threadId: string;
    readonly assistantId: string;
    readonly body: { readonly input?: unknown; readonly command?: { readonly resume: unknown } };
  },
): Promise<z.input<typeof RunEnd>> {
  const { signal } = context;
  const { threadId: thread_id, assistantId: assistant_id, body } = run;
  const { run_id } = await client.runs.create(
    // The recording lets a failure be reproduced without models and tools.
    { params: { thread_id }, body: { assistant_id, record: true, ...body } },
    { signal },
  );
  const params = { thread_id, run_id };
  try {
    await client.runs.join({ params }, { signal });
  } catch (error) {
    // If the caller has canceled, nobody needs the run's result. The first error is reported, even if the
    // run cannot be canceled.
    if (signal.aborted) await settled(client.runs.cancel({ params, query: { wait: 'false' } }));
    throw error;
  }
  const [ended, state] = await Promise.all([
    client.runs.get({ params }, { signal }),
    readableState(client, { thread_id }, { signal }),
  ]);
  const outcome = outcomeOf(ended, state);
  const questions = (state === undefined ? [] : interruptsOf(state)).map(({ value }) =>
    bounded(value, 1_000),
  );
  const stack = outcome === 'error' ? await readErrorStack(client, run_id, signal) : undefined;
  const place = stack === undefined ? undefined : errorPlace(stack);
  return {
    thread_id,
    trace_id: run_id,
    outcome: shownOutcome({ outcome, waits: questions.length > 0 }),
    values: bounded(withPlainMessages(state?.values), MAX_ANSWER / 2),
    next: state?.next ?? [],
    questions,
    error: stack === undefined ? undefined : String(bounded(errorHead(stack), 1_000)),
    place: place && placeText(place, await context.folder()),
  };
}
