import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { shorten } from '../process/shorten.ts';

/** What is known of a run so far. */
export interface FollowedRun {
  /** Empty until it has one. */
  runId: string;
  /** The last values of the root graph. */
  values: unknown;
  /** Why it failed. */
  error: string | undefined;
  /** What the graph asked people at its end, as JSON. */
  question?: string | undefined;
}

const MAX_QUESTION_CHARS = 200;
const Asking = z.looseObject({ __interrupt__: z.array(z.looseObject({ value: z.unknown() })).min(1) });

/** Follows a run to its end. @throws what breaks its stream off. */
export async function followRun(
  stream: Awaited<ReturnType<Client['runs']['stream']>>,
  followed: FollowedRun,
): Promise<void> {
  followed.runId = stream.runId ?? followed.runId;
  for await (const event of stream) {
    if (event.kind === 'metadata') followed.runId = event.data.run_id;
    if (event.kind === 'values' && event.namespace.length === 0) followed.values = event.data;
    if (event.kind === 'values' && event.namespace.length === 0) followed.question = questionIn(event.data);
    if (event.kind === 'error') followed.error = `${event.data.error}: ${event.data.message}`;
  }
}

function questionIn(values: unknown): string | undefined {
  const [asked] = Asking.safeParse(values).data?.__interrupt__ ?? [];
  return asked === undefined ? undefined : shorten(JSON.stringify(asked.value) ?? 'null', MAX_QUESTION_CHARS);
}
