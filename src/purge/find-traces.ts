import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import type { CallOptions } from '../client/transport.ts';
import type { PurgeSample } from '../contract/purging.ts';
import type { RunsFilter } from '../contract/tracing/runs.ts';
import { chunks, type PurgeScope } from './scope.ts';

/** A trace and the project it is in. */
export interface FoundTrace {
  readonly traceId: string;
  readonly sessionId: string;
}

type TracingClient = Pick<Client, 'tracing'>;

const PAGE_SIZE = 100;

/** Finds every trace of a scope, each once. @throws RequestError */
export async function findTraces(
  client: TracingClient,
  scope: PurgeScope,
  options: CallOptions = {},
): Promise<FoundTrace[]> {
  if (scope.kind === 'traces') {
    const inProject = { session: [scope.project.id], is_root: true };
    const samples = await findByIds(client, [...new Set(scope.traceIds)], options, inProject);
    return samples.map(({ trace_id, session_id }) => ({ traceId: trace_id, sessionId: session_id }));
  }
  const found = new Map<string, FoundTrace>();
  const filters = filtersOf(scope);
  // A query must name projects or IDs.
  const pages = scope.project === undefined ? listProjects(client, options) : [[scope.project.id]];
  for await (const projectIds of pages) {
    const runs = listRuns(client, { session: [...projectIds], ...filters }, options);
    for await (const trace of runs) found.set(trace.traceId, trace);
  }
  return [...found.values()];
}

/**
 * Lists the traces of all runs that match; a trace with several such runs comes several times.
 * @throws RequestError while iterating
 */
async function* listRuns(
  { tracing }: TracingClient,
  filters: RunsFilter,
  options: CallOptions,
): AsyncGenerator<FoundTrace, void, undefined> {
  const select = ['trace_id', 'session_id'];
  let cursor: string | null = null;
  do {
    const body = { ...filters, limit: PAGE_SIZE, cursor, select };
    const { runs, cursors } = await tracing.runs.query({ body }, options);
    for (const { trace_id: traceId, session_id: sessionId } of runs) {
      // Both were selected; the type says that any field may be missing.
      if (traceId !== undefined && sessionId !== undefined) yield { traceId, sessionId };
    }
    cursor = cursors.next ?? null;
  } while (cursor);
}

/** Lists the IDs of all projects in pages. @throws RequestError while iterating */
async function* listProjects(
  { tracing }: TracingClient,
  options: CallOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  const idOf = ({ id }: { readonly id: string }) => id;
  const pages = eachPage({ idOf }, (query) => tracing.sessions.list({ query }, options));
  for await (const page of pages) yield page.map(idOf);
}

/**
 * Finds the traces of the given runs.
 * @param filters which of the runs to consider; by default all
 * @throws RequestError
 */
export async function findByIds(
  client: TracingClient,
  runIds: readonly string[],
  options: CallOptions = {},
  filters: RunsFilter = {},
): Promise<PurgeSample[]> {
  const found: PurgeSample[] = [];
  const select = ['trace_id', 'session_id', 'name', 'start_time'];
  for (const ids of chunks(runIds, PAGE_SIZE)) {
    const body = { ...filters, id: ids, limit: PAGE_SIZE, select };
    const { runs } = await client.tracing.runs.query({ body }, options);
    // All were selected; the type says that any field may be missing.
    for (const { trace_id, session_id, name = '', start_time = '' } of runs)
      if (trace_id !== undefined && session_id !== undefined)
        found.push({ trace_id, session_id, name, start_time });
  }
  return found;
}

/**
 * The filters of a scope in the public filter language. Metadata may be on any span of a trace; `before` is about
 * its root.
 */
function filtersOf(scope: Exclude<PurgeScope, { kind: 'traces' }>): RunsFilter {
  const { before } = scope;
  const began = before === undefined ? undefined : `lt(start_time, ${JSON.stringify(before)})`;
  if (scope.kind === 'project') return { is_root: true, ...(began && { filter: began }) };
  const pairs = Object.entries(scope.metadata).map(
    ([key, value]) =>
      `and(eq(metadata_key, ${JSON.stringify(key)}), eq(metadata_value, ${JSON.stringify(value)}))`,
  );
  const [only = ''] = pairs;
  const filter = pairs.length === 1 ? only : `or(${pairs.join(', ')})`;
  return { filter, ...(began && { trace_filter: began }) };
}
