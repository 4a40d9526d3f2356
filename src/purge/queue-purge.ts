import type { PurgeClient, PurgePlan } from './plan-purge.ts';

/** The requests of a purge that a platform accepted. */
export interface QueuedPurge {
  /** Number of requests that the platform accepted. */
  readonly sent: number;
  /** Empty where the platform has no jobs. */
  readonly jobIds: readonly string[];
  /** The traces in the requests that were sent; empty where the requests do not list traces. */
  readonly traceIds: readonly string[];
  /** Why a request failed after others were accepted. */
  readonly error?: unknown;
}

export interface QueueOptions {
  /** Stops after the current request. Accepted requests are still carried out. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each request. */
  readonly onSent?: (sent: number, of: number) => void;
}

/**
 * Sends the requests of a plan, one after the other.
 * @throws RequestError when the first request fails: nothing will be deleted then.
 */
export async function queuePurge(
  { purging }: PurgeClient,
  { requests }: PurgePlan,
  { signal, onSent }: QueueOptions = {},
): Promise<QueuedPurge> {
  const jobIds: string[] = [];
  const traceIds: string[] = [];
  for (const [sent, body] of requests.entries()) {
    if (signal?.aborted) return { sent, jobIds, traceIds };
    try {
      const { job_id } = await purging.deleteRuns({ body });
      if (job_id !== undefined) jobIds.push(job_id);
    } catch (error) {
      if (sent === 0) throw error;
      return { sent, jobIds, traceIds, error };
    }
    traceIds.push(...(body.trace_ids ?? []));
    onSent?.(sent + 1, requests.length);
  }
  return { sent: requests.length, jobIds, traceIds };
}
