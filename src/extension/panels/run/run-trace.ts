import type { Client } from '../../../client/client.ts';
import { onceTraced } from '../../../client/once-traced.ts';
import { dollarsOf } from '../../../terms/money.ts';
import { millisecondsBetween } from '../../../terms/times.ts';
import type { Journal } from './journal.ts';

/**
 * Sends a panel the time, tokens and cost of a run once its trace has them. Without a trace, the panel keeps
 * the duration that it measured.
 */
export async function sendCost(
  client: Client,
  runId: string,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<void> {
  const cost = await readRunCost(client, runId, signal).catch(() => undefined);
  if (cost !== undefined) journal.add({ type: 'run-traced', run_id: runId, ...cost });
}

/** Sends a panel the time, tokens and cost of runs that ended long ago, if they have a trace. */
export async function sendCosts(
  client: Client,
  runIds: readonly string[],
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<void> {
  // If traces cannot be read, the runs keep the durations they have.
  const costs = await readCosts(client, runIds, signal).catch(() => new Map<string, RunCost>());
  for (const [run_id, cost] of costs) journal.add({ type: 'run-traced', run_id, ...cost });
}

/** Time, tokens and cost of a run, from its trace. */
interface RunCost {
  readonly duration_ms: number;
  readonly tokens: number;
  /** Absent if nothing in the trace has a price. */
  readonly dollars?: number;
}

/**
 * Waits for the trace of a run, and reads its time, tokens and cost, so that every view shows the same
 * numbers.
 * @returns undefined if no trace arrives
 * @throws RequestError if traces cannot be read
 */
export function readRunCost(
  client: Client,
  runId: string,
  signal: AbortSignal,
): Promise<RunCost | undefined> {
  return onceTraced(async () => (await readCosts(client, [runId], signal)).get(runId), signal);
}

async function readCosts(
  client: Client,
  runIds: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, RunCost>> {
  const { runs } = await client.tracing.runs.query(
    {
      body: {
        id: [...runIds],
        limit: runIds.length,
        select: ['id', 'start_time', 'end_time', 'total_tokens', 'total_cost'],
      },
    },
    { signal },
  );
  return new Map(
    runs.flatMap(({ id, start_time, end_time, total_tokens, total_cost }): [string, RunCost][] => {
      const dollars = dollarsOf(total_cost);
      const duration_ms = millisecondsBetween(start_time, end_time);
      return id === undefined || duration_ms === undefined
        ? []
        : [[id, { duration_ms, tokens: total_tokens ?? 0, ...(dollars !== undefined && { dollars }) }]];
    }),
  );
}
