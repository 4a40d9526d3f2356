import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { PurgeJob } from '../contract/purging.ts';
import { millisecondsOf } from '../terms/times.ts';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** Each pause is this many times as long as the one before, up to `MAX_PAUSE_MS`. */
const PAUSE_GROWTH = 1.5;
/** A pending job that starts later than this waits for its purge window. */
const SOON_MS = 5_000;

/**
 * Polls jobs, first often, then less often, until all have ended.
 * @param signal stops watching; the jobs continue.
 * @throws RequestError; when aborted, the signal's reason or an AbortError.
 */
export async function* watchJobs(
  { purging }: Pick<Client, 'purging'>,
  jobIds: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<readonly PurgeJob[]> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * PAUSE_GROWTH)) {
    const jobs = await Promise.all(
      jobIds.map((job_id) => purging.getJob({ params: { job_id } }, { signal })),
    );
    yield jobs;
    if (jobs.every(({ status }) => status === 'verified' || status === 'failed')) return;
    await delay(pauseMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** The combined state of the jobs of a purge. */
export interface JobsState {
  readonly status: 'waiting' | 'running' | 'verified' | 'failed';
  readonly matched: number;
  readonly deleted: number;
  /** When the jobs that wait for a purge window start (ISO 8601). */
  readonly notBefore?: string | undefined;
  readonly error?: string | undefined;
}

/** Sums up the jobs of one purge. It has failed once any of them has; the error is that of the first. */
export function sumUpJobs(jobs: readonly PurgeJob[], now: Date): JobsState {
  const sum = (of: (job: PurgeJob) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const counts = { matched: sum(({ matched }) => matched), deleted: sum(({ deleted }) => deleted) };
  const failed = jobs.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { ...counts, status: 'failed', error: failed.error ?? undefined };
  const open = jobs.filter(({ status }) => status !== 'verified');
  if (open.length === 0) return { ...counts, status: 'verified' };
  const waits = open.every(
    ({ status, not_before }) =>
      status === 'pending' && (millisecondsOf(not_before) ?? 0) > now.getTime() + SOON_MS,
  );
  if (!waits) return { ...counts, status: 'running' };
  return { ...counts, status: 'waiting', notBefore: open[0]?.not_before };
}
