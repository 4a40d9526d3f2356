import type { RuntimeState } from '../../contract/harbor.ts';

/** The error of the first graph that failed to load, after the graph's name; undefined if none has failed. */
export function firstGraphError(runtime: RuntimeState): string | undefined {
  const failed =
    runtime.state === 'ready' ? runtime.graphs.find(({ status }) => status === 'failed') : undefined;
  return failed?.status === 'failed' ? `${failed.graph_id}: ${failed.error.message}` : undefined;
}
