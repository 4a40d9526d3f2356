import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import { RunStats } from '../contract/tracing/runs.ts';
import type { StoredRun } from './recorded-runs.ts';

/** How long after the end of a run its last spans may arrive. */
const MAX_DELAY_MS = 5_000;
const PAUSE_MS = 200;

/**
 * Waits until the trace of a run is complete, because the last batch of spans arrives after the end of the run. Waits at
 * most until five seconds after that end, also for runs without a trace.
 * @throws AbortError when the signal is aborted
 */
export async function waitForTrace(
  client: Pick<Client, 'tracing'>,
  { runId, endedAt }: Pick<StoredRun, 'runId' | 'endedAt'>,
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
 * Counts the spans of a trace.
 * @returns undefined while a span has not ended, or if there are no spans or they cannot be read
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
    // A run file is complete without spans, so the reason does not matter.
    return undefined;
  }
}
