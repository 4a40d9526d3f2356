import type { Client } from './client.ts';
import { failedSpan } from './failed-span.ts';
import { onceTraced } from './once-traced.ts';

/**
 * Reads the error of a run with its stack, from the span of its trace in which the failure began.
 * @returns `undefined` when the trace has no error, or has not arrived.
 */
export function readErrorStack(
  client: Client,
  runId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  return onceTraced(async () => {
    const { runs } = await client.tracing.runs.query(
      {
        body: {
          trace: runId,
          error: true,
          order: 'asc',
          limit: 100,
          select: ['id', 'error', 'end_time', 'parent_run_id'],
        },
      },
      { signal },
    );
    const root = runs.find(({ id }) => id === runId);
    if (!root?.error || !root.end_time) return undefined;
    const failed = runs.flatMap(({ error, ...run }) => (error ? [{ ...run, error }] : []));
    return failedSpan(failed)?.error ?? root.error;
  }, signal);
}
