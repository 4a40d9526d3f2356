import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import type { PurgeJob } from '../../contract/purging.ts';
import { traceIdsOf } from './preview.ts';
import { chunks, isPublicRequest, mostTraces, type PurgeScope, requestsOf } from './purge-scope.ts';

/** What has been asked of a platform. */
export interface Requested {
  /** Of an Agent Harbor server; another platform queues, and says no more. */
  readonly jobIds: readonly string[];
  /** As far as they were named. */
  readonly traceIds: readonly string[];
}

export interface CarryOutOptions {
  /** Whether the platform is an Agent Harbor server. */
  readonly isHarbor: boolean;
  /** Ends sending further requests; what was asked for is carried out. */
  readonly signal: AbortSignal;
  onSent(requests: number, of: number): void;
}

/** Sends the requests of a purge, one after the other. */
export async function carryOut(
  client: Client,
  scope: PurgeScope,
  { isHarbor, signal, onSent }: CarryOutOptions,
): Promise<Requested> {
  const requests =
    isHarbor || isPublicRequest(scope) || scope.kind === 'traces'
      ? requestsOf(scope, new Date().toISOString())
      : await namedRequests(client, scope);
  const jobIds: string[] = [];
  const traceIds: string[] = [];
  for (const [index, body] of requests.entries()) {
    if (signal.aborted) break;
    const { job_id } = await client.purging.deleteRuns({ body });
    if (job_id !== undefined) jobIds.push(job_id);
    traceIds.push(...(body.trace_ids ?? []));
    onSent(index + 1, requests.length);
  }
  return { jobIds, traceIds };
}

async function namedRequests(client: Client, scope: Exclude<PurgeScope, { kind: 'traces' }>) {
  const traces = await traceIdsOf(client, scope);
  return [...Map.groupBy(traces, ({ sessionId }) => sessionId)].flatMap(([session_id, found]) =>
    chunks(found, mostTraces).map((chunk) => ({
      session_id,
      trace_ids: chunk.map(({ traceId }) => traceId),
    })),
  );
}

/** Where the jobs of a purge are, taken together. */
export interface JobsState {
  readonly status: 'waiting' | 'running' | 'verified' | 'failed';
  readonly matched: number;
  readonly deleted: number;
  /** When they begin, of those that wait for a purge window (ISO 8601). */
  readonly notBefore?: string | undefined;
  readonly error?: string | undefined;
}

const firstMs = 200;
const longestMs = 2_000;

/**
 * Follows jobs until all have been verified or one has failed, or until they wait for a purge window.
 * @param signal ends following; the jobs go on.
 */
export async function followJobs(
  client: Client,
  jobIds: readonly string[],
  options: { readonly signal: AbortSignal; onState(state: JobsState): void },
): Promise<JobsState> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(longestMs, pauseMs * 1.5)) {
    const jobs = await Promise.all(
      jobIds.map((job_id) => client.purging.getJob({ params: { job_id } }, { signal: options.signal })),
    );
    const state = stateOf(jobs, new Date());
    options.onState(state);
    if (state.status !== 'running') return state;
    await delay(pauseMs, undefined, { signal: options.signal });
  }
}

/** Some jobs as one. */
export function stateOf(jobs: readonly PurgeJob[], now: Date): JobsState {
  const sum = (of: (job: PurgeJob) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const counts = { matched: sum(({ matched }) => matched), deleted: sum(({ deleted }) => deleted) };
  const failed = jobs.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { ...counts, status: 'failed', error: failed.error ?? undefined };
  if (jobs.every(({ status }) => status === 'verified')) return { ...counts, status: 'verified' };
  const open = jobs.filter(({ status }) => status !== 'verified');
  const waiting = open.every(
    ({ status, not_before }) => status === 'pending' && Date.parse(not_before) > now.getTime() + 5_000,
  );
  if (!waiting) return { ...counts, status: 'running' };
  return { ...counts, status: 'waiting', notBefore: open[0]?.not_before };
}
