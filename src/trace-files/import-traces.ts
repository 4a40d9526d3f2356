import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { CallOptions } from '../client/transport.ts';
import { asSentence } from '../process/as-sentence.ts';
import type { TraceFile } from './read-trace-file.ts';

/** The maximum number of characters of JSON in one request; a larger item is sent alone. */
const MAX_REQUEST_LENGTH = 8 * 1024 * 1024;
/** The maximum number of resources, log records or runs in one request. */
const MAX_ITEMS = 500;

export interface Imported {
  /** The number of spans and runs that the platform accepted. */
  readonly spans: number;
  /** The number of different traces that were sent, even if spans of them were refused. */
  readonly traces: number;
  /** Why the platform refused spans, log records or runs. */
  readonly refused: readonly string[];
}

/** The spans of a resource; those that are not valid have no ID here, and are refused by the platform. */
const Spans = z.object({
  scopeSpans: z
    .array(
      z
        .object({
          spans: z.array(
            z.object({ traceId: z.string().toLowerCase().optional().catch(undefined) }).catch({}),
          ),
        })
        .catch({ spans: [] }),
    )
    .catch([]),
});

/**
 * Sends the traces of a file to a platform. Spans that the platform already has do not change.
 * @param options.project the tracing project of runs, and of spans that do not name a project
 * @throws RequestError
 */
export async function importTraces(
  { tracing }: Pick<Client, 'tracing'>,
  { spans, logs, runs }: TraceFile,
  { project, ...options }: CallOptions & { readonly project?: string | undefined },
): Promise<Imported> {
  const traces = new Set<string>();
  const refused: string[] = [];
  let count = 0;
  const headers = project === undefined ? {} : { 'langsmith-project': project };
  const otlp = { ...options, headers };
  for (const batch of batchesOf(spans)) {
    const { partialSuccess } = await tracing.otlp.traces({ resourceSpans: batch }, otlp);
    if (partialSuccess?.errorMessage) refused.push(partialSuccess.errorMessage);
    const sent = batch.flatMap(spansOf);
    for (const { traceId } of sent) if (traceId !== undefined) traces.add(traceId);
    count += sent.length - Number(partialSuccess?.rejectedSpans ?? 0);
  }
  for (const batch of batchesOf(logs)) {
    const { partialSuccess } = await tracing.otlp.logs({ resourceLogs: batch }, otlp);
    if (partialSuccess?.errorMessage) refused.push(partialSuccess.errorMessage);
  }
  // Parents come before their children.
  const sorted = runs.toSorted((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1));
  for (const batch of batchesOf(sorted)) {
    const post = batch.map((run) => ({
      ...run,
      ...(project === undefined ? {} : { session_name: project }),
    }));
    const refusals = await refusalsOf(tracing.runs.batch({ body: { post } }, options));
    refused.push(...refusals);
    count += batch.length - refusals.length;
    // As the trace IDs of spans are written.
    for (const { trace_id } of batch) traces.add(trace_id.replaceAll('-', ''));
  }
  return { spans: count, traces: traces.size, refused };
}

function spansOf(resource: object): { readonly traceId?: string | undefined }[] {
  return Spans.parse(resource).scopeSpans.flatMap(({ spans }) => spans);
}

/** Waits for a request, and returns why runs in it were refused; the platform stores its other runs. */
async function refusalsOf(sent: Promise<unknown>): Promise<string[]> {
  try {
    await sent;
    return [];
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 422) throw error;
    if (typeof error.detail !== 'object') return [error.message];
    return error.detail.map(({ loc, msg }) => `${loc.join('.')}: ${asSentence(msg)}`);
  }
}

/** Divides items into batches that fit into one request each. */
function* batchesOf<Item extends object>(items: readonly Item[]): Iterable<Item[]> {
  let batch: Item[] = [];
  let length = 0;
  for (const item of items) {
    const more = JSON.stringify(item).length;
    if (batch.length > 0 && (length + more > MAX_REQUEST_LENGTH || batch.length === MAX_ITEMS)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(item);
    length += more;
  }
  if (batch.length > 0) yield batch;
}
