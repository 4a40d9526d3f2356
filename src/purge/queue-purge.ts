import type { PurgeClient, PurgePlan } from './plan-purge.ts';

/** What a platform was asked for. */
export interface QueuedPurge {
  /** Empty where the platform has no jobs. */
  readonly jobIds: readonly string[];
  /** The traces that the sent requests named. */
  readonly traceIds: readonly string[];
}

/**
 * Sends the requests of a plan, one after the other.
 * @param options.signal ends sending after the request under way; what was sent is carried out.
 * @param options.onSent told after each request.
 * @throws RequestError; what was sent before it is carried out.
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
