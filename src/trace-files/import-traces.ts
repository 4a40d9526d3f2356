import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { CallOptions } from '../client/transport.ts';
import type { PostedRun } from './langsmith.ts';
import type { TraceFile } from './read-trace-file.ts';

/** The maximum size of one request. */
const MAX_REQUEST_LENGTH = 8 * 1024 * 1024;
const MAX_RUNS = 500;

export interface Imported {
  readonly spans: number;
  readonly traces: number;
  /** Why the platform refused some spans. */
  readonly refused: readonly string[];
}

const Ids = z.object({
  scopeSpans: z.array(z.object({ spans: z.array(z.object({ traceId: z.string() })) })),
});

/**
 * Sends the traces of a file to a platform. Traces that the platform already has do not change.
 * @param options.project for spans that name none, and for all runs
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
  for (const some of slices(spans)) {
    const { partialSuccess } = await tracing.otlp.traces({ resourceSpans: some }, otlp);
    if (partialSuccess?.errorMessage) refused.push(partialSuccess.errorMessage);
    const ids = some.flatMap(traceIdsOf);
    for (const id of ids) traces.add(id);
    count += ids.length - Number(partialSuccess?.rejectedSpans ?? 0);
  }
  for (const some of slices(logs)) {
    const { partialSuccess } = await tracing.otlp.logs({ resourceLogs: some }, otlp);
    if (partialSuccess?.errorMessage) refused.push(partialSuccess.errorMessage);
  }
  // Parents come before their children.
  const sorted = runs.toSorted((a, b) => (a.dotted_order < b.dotted_order ? -1 : 1));
  for (const some of slices(sorted)) {
    const post = some.map((run) => ({ ...run, ...(project === undefined ? {} : { session_name: project }) }));
    const refusals = await refusalsOf(tracing.runs.batch({ body: { post } }, options));
    refused.push(...refusals);
    count += some.length - refusals.length;
    for (const { trace_id } of some) traces.add(trace_id.replaceAll('-', ''));
  }
  return { spans: count, traces: traces.size, refused };
}

/** The trace of each span. */
function traceIdsOf(resource: object): string[] {
  const scopes = Ids.safeParse(resource).data?.scopeSpans ?? [];
  return scopes.flatMap(({ spans }) => spans.map(({ traceId }) => traceId.toLowerCase()));
}

/** The other spans in the request are stored. */
async function refusalsOf(sent: Promise<unknown>): Promise<string[]> {
  try {
    await sent;
    return [];
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 422) throw error;
    return [error.message];
  }
}

function* slices<Piece extends object | PostedRun>(pieces: readonly Piece[]): Iterable<Piece[]> {
  let some: Piece[] = [];
  let length = 0;
  for (const piece of pieces) {
    const more = JSON.stringify(piece).length;
    if (some.length > 0 && (length + more > MAX_REQUEST_LENGTH || some.length === MAX_RUNS)) {
      yield some;
      some = [];
      length = 0;
    }
    some.push(piece);
    length += more;
  }
  if (some.length > 0) yield some;
}
