import type { Client } from '../../../client/client.ts';
import { lacksArguments, readInferredArguments } from '../../../client/inferred-arguments.ts';
import { listFeedback } from '../../../client/list-feedback.ts';
import { isObject } from '../../../process/objects.ts';
import { missingContent } from '../../../terms/missing-content.ts';
import { millisecondsOf } from '../../../terms/times.ts';
import { spanTask } from '../../nodes/span-task.ts';
import { originOf } from '../../traces/origin-of.ts';
import { type GivenFeedback, toGivenFeedback } from '../feedback.ts';
import type { Oversized, SpanDetails } from './messages.ts';
import type { QueriedRun } from './read-spans.ts';

/** Larger payloads are not sent to the panel; they can be opened as documents. */
const MAX_BYTES = 2_000_000;

/**
 * Reads the details of a selected span.
 * @throws RequestError
 */
export async function readDetails(client: Client, runId: string): Promise<SpanDetails> {
  const [run, feedback] = await Promise.all([
    client.tracing.runs.get({ params: { run_id: runId }, query: { exclude_serialized: true } }),
    listFeedback(client.tracing, [runId]),
  ]);
  const details = toDetails(run, feedback.map(toGivenFeedback));
  if (run.run_type !== 'tool' || !lacksArguments(run)) return details;
  const inferred = await readInferredArguments(client, run);
  if (inferred === undefined) return details;
  return {
    ...details,
    inputs: limitPayload(inferred),
    inputs_inferred: true,
    missing: { inputs: undefined, outputs: details.missing?.outputs },
  };
}

/** The details of a span. Payloads that are too large are replaced by their sizes. */
export function toDetails(run: QueriedRun, feedback: readonly GivenFeedback[]): SpanDetails {
  const metadata = isObject(run.extra?.metadata) ? run.extra.metadata : {};
  const { run_type, status, extra } = run;
  const missing = (which: 'inputs' | 'outputs') =>
    missingContent(which, { run_type, status, extra, payload: run[which] });
  return {
    id: run.id ?? '',
    inputs: limitPayload(run.inputs),
    outputs: limitPayload(run.outputs),
    missing: { inputs: missing('inputs'), outputs: missing('outputs') },
    error: run.error ?? undefined,
    metadata,
    tags: run.tags ?? [],
    prompt_tokens: tokensOf(run.prompt_tokens),
    completion_tokens: tokensOf(run.completion_tokens),
    price: run.price ?? undefined,
    first_token: millisecondsOf(typeof run.first_token_time === 'string' ? run.first_token_time : undefined),
    feedback,
    origin: originOf(metadata),
    has_node: spanTask(metadata) !== undefined,
  };
}

/** A payload, or its size if it is too large to read. */
export function limitPayload(payload: unknown): unknown {
  const bytes = Buffer.byteLength(JSON.stringify(payload ?? null));
  return bytes > MAX_BYTES ? ({ oversized_bytes: bytes } satisfies Oversized) : payload;
}

/** A number of tokens; undefined if it is 0 or not known. */
function tokensOf(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
