import type { PurgeClient, PurgePlan } from './plan-purge.ts';
import { type QueuedPurge, type QueueOptions, queuePurge } from './queue-purge.ts';
import { type JobsState, sumUpJobs, watchJobs } from './watch-jobs.ts';

/** How a purge went, as far as this program knows. */
export type PurgeOutcome =
  /** Canceled or failed before all requests were sent; those in `queued` are carried out. */
  | { readonly kind: 'stopped'; readonly queued: QueuedPurge; readonly error: unknown }
  /** All requests were sent to a platform without jobs, which does not report when it deletes. */
  | { readonly kind: 'queued'; readonly queued: QueuedPurge }
  /** All requests were sent and are carried out, but watching was canceled, or the server does not answer. */
  | { readonly kind: 'unwatched'; readonly error: unknown }
  /** The jobs have ended, or wait for their purge window. */
  | { readonly kind: 'ended'; readonly state: JobsState };

export interface RunPurgeOptions extends QueueOptions {
  readonly onProgress?: (state: JobsState) => void;
}

/**
 * Requests the deletion of a plan's traces and follows it where the platform has jobs.
 * @param options.signal stops sending requests and watching jobs; accepted requests are still carried out
 * @throws RequestError when the first request fails: nothing will be deleted then.
 */
export async function runPurge(
  client: PurgeClient,
  plan: PurgePlan,
  options: RunPurgeOptions,
): Promise<PurgeOutcome> {
  const queued = await queuePurge(client, plan, options);
  if (queued.sent < plan.requests.length) return { kind: 'stopped', queued, error: queued.error };
  if (!plan.hasJobs) return { kind: 'queued', queued };
  try {
    for await (const jobs of watchJobs(client, queued.jobIds, options.signal)) {
      const state = sumUpJobs(jobs, new Date());
      options.onProgress?.(state);
      if (state.status !== 'running') return { kind: 'ended', state };
    }
  } catch (error) {
    return { kind: 'unwatched', error: options.signal?.aborted ? undefined : error };
  }
  return { kind: 'unwatched', error: undefined };
}
