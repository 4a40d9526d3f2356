import type { PurgeClient, PurgePlan } from './plan-purge.ts';

/** The deletion requested from a platform. */
export interface QueuedPurge {
  /** Empty where the platform has no jobs. */
  readonly jobIds: readonly string[];
  /** The traces in the requests that were sent. */
  readonly traceIds: readonly string[];
}

/**
 * Sends the requests of a plan, one after the other.
 * @param options.signal stops after the current request; sent requests are carried out.
 * @param options.onSent called after each request.
 * @throws RequestError; requests sent before it are carried out.
 */
export async function queuePurge(
  { purging }: PurgeClient,
  { requests }: PurgePlan,
  options: { readonly signal?: AbortSignal; readonly onSent?: (sent: number, of: number) => void } = {},
): Promise<QueuedPurge> {
  const jobIds: string[] = [];
  const traceIds: string[] = [];
  for (const [index, body] of requests.entries()) {
    if (options.signal?.aborted) break;
    const { job_id } = await purging.deleteRuns({ body });
    if (job_id !== undefined) jobIds.push(job_id);
    traceIds.push(...(body.trace_ids ?? []));
    options.onSent?.(index + 1, requests.length);
  }
  return { jobIds, traceIds };
}
