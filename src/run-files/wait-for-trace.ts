import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import { RunStats } from '../contract/tracing/runs.ts';
import type { RecordedRun } from './recorded-runs.ts';

/** How long after the end of a run its spans may arrive. */
const MAX_DELAY_MS = 5_000;
const PAUSE_MS = 200;

/**
 * Waits until the trace of a run that has just ended is complete: spans are sent in batches, the last of them
 * after the run. Does not wait for a run that ended earlier, and no longer than five seconds where nothing is
 * traced.
 * @throws DOMException AbortError
 */
export async function waitForTrace(
  client: Pick<Client, 'tracing'>,
  { runId, endedAt }: Pick<RecordedRun, 'runId' | 'endedAt'>,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<void> {
  // The clock of a server elsewhere may be ahead.
  const until = Math.min(endedAt, Date.now()) + MAX_DELAY_MS;
  let before: number | undefined;
  while (Date.now() < until) {
    const spans = await countEnded(client, runId, options);
    if (spans !== undefined && spans === before) return;
    before = spans;
    await sleep(PAUSE_MS, undefined, { signal: options.signal });
  }
}

/**
 * @returns the number of spans; undefined while one of them has not ended, or if there are none or they cannot be read.
 */
async function countEnded(
  { tracing: { runs } }: Pick<Client, 'tracing'>,
  trace: string,
  options: CallOptions,
): Promise<number | undefined> {
  const unfinished = { trace, limit: 1, filter: 'eq(status, "pending")' };
  try {
    const [stats, { runs: pending }] = await Promise.all([
      runs.stats({ body: { trace } }, options),
      runs.query({ body: unfinished }, options),
    ]);
    const { run_count: count } = RunStats.parse(stats);
    return count && pending.length === 0 ? count : undefined;
  } catch {
    // Reported when the spans are read.
    return undefined;
  }
}
