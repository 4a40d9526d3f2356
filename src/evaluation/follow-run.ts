import type { Client } from '../client/client.ts';
import { RunProgress } from '../client/run-progress.ts';
import { shorten } from '../process/shorten.ts';

/** The progress of a run. */
export interface FollowedRun {
  /** Empty until the run's ID is known. */
  runId: string;
  /** The last values of the root graph. */
  values: unknown;
  /** Why the run failed. */
  error: string | undefined;
  /** The question to the user (or the first of several) with which the run ended: the beginning of its JSON. */
  question?: string | undefined;
}

const MAX_QUESTION_CHARS = 200;

/** Follows a run to its end, and records its progress in `followed`. @throws the error that ended the stream early */
export async function followRun(
  stream: Awaited<ReturnType<Client['runs']['stream']>>,
  followed: FollowedRun,
): Promise<void> {
  const progress = new RunProgress();
  try {
    for await (const event of stream) progress.observe(event);
  } finally {
    followed.runId = progress.runId ?? stream.runId ?? followed.runId;
    followed.values = progress.values ?? followed.values;
    if (progress.error !== undefined) followed.error = `${progress.error.error}: ${progress.error.message}`;
    followed.question = questionIn(progress);
  }
}

function questionIn({ interrupts }: RunProgress): string | undefined {
  for (const value of interrupts.values())
    return shorten(JSON.stringify(value) ?? 'null', MAX_QUESTION_CHARS);
  return undefined;
}
