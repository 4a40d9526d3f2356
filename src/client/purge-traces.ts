import { setTimeout as sleep } from 'node:timers/promises';
import { MOST_TRACE_IDS, type PurgeJob } from '../contract/purging.ts';
import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import type { CallOptions } from './transport.ts';

/** Which traces of a project are to go: by their ids, by any one of the metadata, or by age. */
export interface PurgeSelection {
  readonly sessionId: string;
  readonly traceIds?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Traces that began before, in ISO 8601. */
  readonly before?: string | undefined;
}

type PurgeClient = Pick<Client, 'purging' | 'tracing' | 'harbor'>;

export interface PurgePlan {
  /** Whether the platform tells of its purge jobs; only Agent Harbor's does. */
  readonly hasJobs: boolean;
  /** The requests it takes, in the public form. */
  readonly requests: readonly PurgeBody[];
  readonly counts: { readonly traces: number; readonly runs?: number; readonly feedback?: number };
}

type PurgeBody = NonNullable<Parameters<Client['purging']['deleteRuns']>[0]>['body'];

export interface QueuedPurge {
  /** Empty where the platform does not tell. */
  readonly jobIds: readonly string[];
  readonly requests: number;
}

const FIRST_MS = 100;
const LONGEST_MS = 2_000;
const GROWTH = 1.5;
const NO_RETRY = { retries: 0 } as const;

/** A purge job ended as failed; the message says why where the server tells. */
export class PurgeFailedError extends Error {
  override readonly name = 'PurgeFailedError';
  readonly job: PurgeJob;
  constructor(job: PurgeJob) {
    super(`The purge ${job.id} failed${job.error ? `: ${job.error}` : '.'}`);
    this.job = job;
  }
}

/**
 * What a purge would take and which requests do it; nothing is touched. Only Agent Harbor is asked for a dry run, by
 * metadata or by age: any other platform would delete, or not keep to the project, so there the ids are looked up.
 * @throws RequestError; the signal's reason when aborted.
 */
export async function planPurge(
  client: PurgeClient,
  selection: PurgeSelection,
  options: CallOptions = {},
): Promise<PurgePlan> {
  const hasJobs = await isHarbor(client, options);
  const { sessionId, traceIds } = selection;
  if (traceIds !== undefined || !hasJobs) {
    const ids = traceIds ?? (await matchingIds(client, selection, options));
    const requests = slices([...new Set(ids)]).map((trace_ids) => ({ session_id: sessionId, trace_ids }));
    if (!hasJobs) return { hasJobs, requests, counts: { traces: new Set(ids).size } };
    return { hasJobs, requests, counts: await dryRun(client, requests, options) };
  }
  const request = {
    session_id: sessionId,
    ...(selection.metadata === undefined ? {} : { metadata: { ...selection.metadata } }),
    ...(selection.before === undefined ? {} : { before: selection.before }),
  };
  return { hasJobs, requests: [request], counts: await dryRun(client, [request], options) };
}

/**
 * Sends a plan's requests, one after the other.
 * @param options.onRequest told after each, with how many were sent.
 * @throws RequestError; what was queued before it stays queued.
 */
export async function queuePurge(
  { purging }: PurgeClient,
  { requests }: PurgePlan,
  options: CallOptions & { readonly onRequest?: (sent: number) => void } = {},
): Promise<QueuedPurge> {
  const jobIds: string[] = [];
  for (const [at, body] of requests.entries()) {
    const { job_id } = await purging.deleteRuns({ body }, options);
    if (job_id !== undefined) jobIds.push(job_id);
    options.onRequest?.(at + 1);
  }
  return { jobIds, requests: requests.length };
}

/**
 * Waits until a job has looked again and found nothing left.
 * @param options.onProgress told of every change.
 * @throws PurgeFailedError, RequestError; the signal's reason when aborted.
 */
export async function waitForPurge(
  { purging }: Pick<Client, 'purging'>,
  jobId: string,
  options: { readonly signal?: AbortSignal; readonly onProgress?: (job: PurgeJob) => void } = {},
): Promise<PurgeJob> {
  const { signal, onProgress } = options;
  let seen = '';
  let pause = FIRST_MS;
  for (;;) {
    const job = await purging.getJob({ params: { job_id: jobId } }, { signal });
    const now = `${job.status} ${job.deleted} ${job.matched}`;
    if (now !== seen) {
      seen = now;
      pause = FIRST_MS;
      onProgress?.(job);
    }
    if (job.status === 'verified') return job;
    if (job.status === 'failed') throw new PurgeFailedError(job);
    await sleep(pause, undefined, signal === undefined ? {} : { signal });
    pause = Math.min(LONGEST_MS, pause * GROWTH);
  }
}

/** Whether a platform is Agent Harbor's, which understands `dry_run` and `before` and tells of its jobs. */
async function isHarbor({ harbor }: PurgeClient, { signal }: CallOptions): Promise<boolean> {
  try {
    await harbor.handshake(undefined, { signal, ...NO_RETRY });
    return true;
  } catch (error) {
    if (error instanceof RequestError && (error.problem === 'status' || error.problem === 'unreadable')) {
      return false;
    }
    throw error;
  }
}

async function dryRun(
  { purging }: PurgeClient,
  requests: readonly PurgeBody[],
  options: CallOptions,
): Promise<{ traces: number; runs: number; feedback: number }> {
  const counts = { traces: 0, runs: 0, feedback: 0 };
  for (const request of requests) {
    const { would_delete } = await purging.deleteRuns({ body: { ...request, dry_run: true } }, options);
    counts.traces += would_delete?.traces ?? 0;
    counts.runs += would_delete?.runs ?? 0;
    counts.feedback += would_delete?.feedback ?? 0;
  }
  return counts;
}

/** The ids of the traces that a selection meets: with metadata, wherever in the trace it stands. */
async function matchingIds(
  { tracing }: PurgeClient,
  { sessionId, metadata, before }: PurgeSelection,
  options: CallOptions,
): Promise<string[]> {
  const ids = new Set<string>();
  let cursor: string | null | undefined;
  do {
    const page = await tracing.runs.query(
      {
        body: {
          session: [sessionId],
          select: ['id', 'trace_id'],
          cursor: cursor ?? null,
          ...(metadata === undefined ? { is_root: true } : { filter: metadataFilter(metadata) }),
          ...(before === undefined ? {} : beforeFilter(before, metadata)),
        },
      },
      options,
    );
    for (const { id, trace_id } of page.runs) {
      const trace = trace_id ?? id;
      if (trace !== undefined) ids.add(trace);
    }
    cursor = page.cursors.next;
  } while (cursor);
  return [...ids];
}

function metadataFilter(metadata: Readonly<Record<string, string | number | boolean>>): string {
  const pairs = Object.entries(metadata).map(
    ([key, value]) =>
      `and(eq(metadata_key, ${JSON.stringify(key)}), eq(metadata_value, ${JSON.stringify(value)}))`,
  );
  return pairs.length === 1 ? (pairs[0] ?? '') : `or(${pairs.join(', ')})`;
}

function beforeFilter(before: string, metadata: object | undefined) {
  const filter = `lt(start_time, ${JSON.stringify(before)})`;
  return metadata === undefined ? { filter } : { trace_filter: filter };
}

function slices(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / MOST_TRACE_IDS) }, (_, at) =>
    ids.slice(at * MOST_TRACE_IDS, (at + 1) * MOST_TRACE_IDS),
  );
}
