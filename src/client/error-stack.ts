import type { Client } from './client.ts';
import { errorPlace } from './error-frames.ts';
import { onceTraced } from './once-traced.ts';

/**
 * Reads the error of a run with its stack, from its trace. The failure began in the deepest span that failed
 * first. If the stack of that span is entirely inside libraries, the nearest enclosing span with a frame in
 * the project is used.
 * @returns `undefined` when the trace has no error, or has not arrived.
 */
export function errorStack(client: Client, runId: string, signal: AbortSignal): Promise<string | undefined> {
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
    const parents = new Set(runs.map(({ parent_run_id }) => parent_run_id));
    const deepest = runs.find(({ id, error }) => error && !parents.has(id ?? null));
    const byId = new Map(runs.map((run) => [run.id, run]));
    for (let span = deepest; span?.error; span = byId.get(span.parent_run_id ?? ''))
      if (errorPlace(span.error) !== undefined) return span.error;
    return deepest?.error ?? root.error;
  }, signal);
}
