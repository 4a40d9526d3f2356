import type { Client } from '../../../client/client.ts';
import { millisecondsOf } from '../../../terms/times.ts';
import { spanTask } from '../../nodes/span-task.ts';
import { originOf } from '../../traces/span-places.ts';
import { type GivenFeedback, toGivenFeedback } from '../feedback.ts';
import type { Oversized, SpanDetails } from './messages.ts';
import type { QueriedRun } from './read-spans.ts';

/** Larger payloads are opened as documents. */
const MAX_BYTES = 2_000_000;

/**
 * Reads what a selected span is shown with.
 * @throws RequestError
 */
export async function readDetails(client: Client, runId: string): Promise<SpanDetails> {
  const [run, feedback] = await Promise.all([
    client.tracing.runs.get({ params: { run_id: runId }, query: { exclude_serialized: true } }),
    client.tracing.feedback.list({ query: { run: [runId] } }),
  ]);
  return toDetails(run, feedback.map(toGivenFeedback));
}

/** The details that a span is shown with; payloads that are too large are left out. */
export function toDetails(run: QueriedRun, feedback: readonly GivenFeedback[]): SpanDetails {
  const metadata = metadataOf(run.extra);
  return {
    id: run.id ?? '',
    inputs: limit(run.inputs),
    outputs: limit(run.outputs),
    error: run.error ?? undefined,
    metadata,
    tags: run.tags ?? [],
    prompt_tokens: numberOf(run.prompt_tokens),
    completion_tokens: numberOf(run.completion_tokens),
    price: run.price ?? undefined,
    first_token: millisecondsOf(typeof run.first_token_time === 'string' ? run.first_token_time : undefined),
    feedback,
    origin: originOf(metadata),
    has_node: spanTask(metadata) !== undefined,
  };
}

function metadataOf(extra: Readonly<Record<string, unknown>> | null | undefined) {
  const metadata = extra?.metadata;
  return typeof metadata === 'object' && metadata !== null
    ? (Object.fromEntries(Object.entries(metadata)) satisfies Record<string, unknown>)
    : {};
}

/** A payload, or how large it is when that is too much to look at. */
export function limit(payload: unknown): unknown {
  const bytes = JSON.stringify(payload ?? null).length;
  return bytes > MAX_BYTES ? ({ oversized_bytes: bytes } satisfies Oversized) : payload;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
