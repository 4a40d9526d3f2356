import type { Client } from '../../client/client.ts';
import type { RunTarget } from '../deployments/run-target.ts';
import { originOf } from '../traces/origin-of.ts';
import type { SpanPlaces } from '../traces/span-places.ts';

/**
 * Finds what to run again in order to debug a trace: its thread, which is still where the run failed or
 * waits, or else its graph with the recorded input.
 * @param client of the platform that has the trace
 * @param runId of the trace, or of one of its spans
 * @throws Error when no open folder serves the graph
 */
export async function findDebugTargetOfTrace(
  client: Client,
  runId: string,
  places: SpanPlaces,
): Promise<RunTarget> {
  const { inputs, extra } = await client.tracing.runs.get({
    params: { run_id: runId },
    query: { exclude_serialized: true },
  });
  const origin = originOf(extra?.metadata);
  const { graph, thread } = origin;
  const assistantId = origin.assistant ?? graph;
  const withThread = await places.findThread(origin);
  if (withThread !== undefined && assistantId !== undefined) {
    return { deployment: withThread.key, assistantId, name: graph ?? assistantId, threadId: thread };
  }
  const { key } = await places.requireDeployment(graph);
  // The graph is known here: without one, no deployment would have been found.
  return { deployment: key, assistantId: graph ?? '', name: graph ?? '', input: inputs };
}
