import type { Client } from '../../client/client.ts';
import type { PurgeSample } from '../../contract/purging.ts';
import { chunks, type PurgeScope, queryOf, requestsOf } from './purge-scope.ts';

/** What a purge would take. */
export interface PurgePreview {
  readonly traces: number;
  /** Undefined where the platform cannot be asked. */
  readonly runs?: number | undefined;
  readonly feedback?: number | undefined;
  /** Of payloads and attachments. */
  readonly bytes?: number | undefined;
  /** Counted by a query, so that more or less may go. */
  readonly isEstimate: boolean;
  readonly samples: readonly PurgeSample[];
}

const mostSamples = 5;
const mostIds = 100;

/** Whether a platform is an Agent Harbor server, which knows dry runs and jobs: any other would delete at once. */
export async function knowsDryRuns(client: Client): Promise<boolean> {
  try {
    return (await client.harbor.handshake({}, { retries: 0 })).harbor_protocol > 0;
  } catch {
    return false;
  }
}

/** Asks for a dry run, which touches nothing. Only for a server that `knowsDryRuns`. */
export async function dryRun(client: Client, scope: PurgeScope): Promise<PurgePreview> {
  const total = { traces: 0, runs: 0, feedback: 0, bytes: 0 };
  const samples: PurgeSample[] = [];
  for (const request of requestsOf(scope, new Date().toISOString())) {
    const answer = await client.purging.deleteRuns({ body: { ...request, dry_run: true } });
    const counts = answer.would_delete;
    if (answer.dry_run !== true || counts === undefined)
      throw new Error('The server did not say what would go, so nothing was asked of it.');
    total.traces += counts.traces;
    total.runs += counts.runs;
    total.feedback += counts.feedback;
    total.bytes += counts.bytes ?? 0;
    samples.push(...(answer.samples ?? []));
  }
  return { ...total, isEstimate: false, samples: samples.slice(0, mostSamples) };
}

/** Counts by query what a purge would take, for platforms without dry runs. */
export async function estimate(client: Client, scope: PurgeScope): Promise<PurgePreview> {
  if (scope.kind === 'traces') {
    const found = await existing(client, scope.traceIds);
    return {
      traces: found.length,
      isEstimate: true,
      samples: found.slice(0, mostSamples),
    };
  }
  const query = await withProjects(client, scope);
  const [stats, { runs }] = await Promise.all([
    client.tracing.runs.stats({ body: query }),
    client.tracing.runs.query({
      body: { ...query, limit: mostSamples, select: ['trace_id', 'session_id', 'name', 'start_time'] },
    }),
  ]);
  const traces = typeof stats.run_count === 'number' ? stats.run_count : runs.length;
  return { traces, isEstimate: true, samples: runs.flatMap(sampleOf) };
}

/** The ids of all traces of a scope, for platforms that have to be told them. */
export async function traceIdsOf(
  client: Client,
  scope: Exclude<PurgeScope, { kind: 'traces' }>,
): Promise<readonly { readonly traceId: string; readonly sessionId: string }[]> {
  const query = await withProjects(client, scope);
  const found: { traceId: string; sessionId: string }[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client.tracing.runs.query({
      body: { ...query, limit: 100, cursor: cursor ?? null, select: ['trace_id', 'session_id'] },
    });
    for (const { trace_id, session_id } of page.runs)
      if (trace_id !== undefined && session_id !== undefined)
        found.push({ traceId: trace_id, sessionId: session_id });
    cursor = page.cursors.next;
  } while (cursor);
  return found;
}

/** Those of some traces that are still there. */
export async function existing(client: Client, traceIds: readonly string[]): Promise<PurgeSample[]> {
  const found: PurgeSample[] = [];
  for (const id of chunks(traceIds, mostIds)) {
    const { runs } = await client.tracing.runs.query({
      body: { id, limit: mostIds, select: ['trace_id', 'session_id', 'name', 'start_time'] },
    });
    found.push(...runs.flatMap(sampleOf));
  }
  return found;
}

/** A query has to say which projects it is about. */
async function withProjects(client: Client, scope: Exclude<PurgeScope, { kind: 'traces' }>) {
  const query = queryOf(scope);
  if (query.session) return query;
  const projects = await client.tracing.sessions.list({ query: { limit: 100 } });
  return { ...query, session: projects.map(({ id }) => id) };
}

function sampleOf(run: {
  readonly trace_id?: string | undefined;
  readonly session_id?: string | undefined;
  readonly name?: string | undefined;
  readonly start_time?: string | undefined;
}): PurgeSample[] {
  const { trace_id, session_id = '', name = '', start_time = '' } = run;
  return trace_id === undefined ? [] : [{ trace_id, session_id, name, start_time }];
}
