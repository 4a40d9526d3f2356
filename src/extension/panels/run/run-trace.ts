import type { Client } from '../../../client/client.ts';
import { onceTraced } from '../../../client/once-traced.ts';
import type { Journal } from './journal.ts';

/** Sends a panel the time of a run once its trace has it; without traces, the time measured in the panel stays. */
export async function sendCost(
  client: Client,
  runId: string,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<void> {
  const cost = await runCost(client, runId, signal).catch(() => undefined);
  if (cost !== undefined) journal.add({ type: 'run-traced', run_id: runId, ...cost });
}

/** Time and tokens of a run, as its trace has them. */
export interface RunCost {
  readonly duration_ms: number;
  readonly tokens: number;
}

/**
 * Time and tokens of a run, by its trace, so that every view shows the same numbers.
 * @returns `undefined` when the trace does not say
 * @throws RequestError where traces cannot be read
 */
export function runCost(client: Client, runId: string, signal: AbortSignal): Promise<RunCost | undefined> {
  return onceTraced(async () => {
    const { runs } = await client.tracing.runs.query(
      { body: { id: [runId], limit: 1, select: ['id', 'start_time', 'end_time', 'total_tokens'] } },
      { signal },
    );
    const { start_time, end_time, total_tokens } = runs[0] ?? {};
    const duration_ms = Date.parse(end_time ?? '') - Date.parse(start_time ?? '');
    return Number.isNaN(duration_ms) ? undefined : { duration_ms, tokens: total_tokens ?? 0 };
  }, signal);
}
