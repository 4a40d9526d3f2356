import type { GraphLocations } from '../../contract/harbor.ts';
import { askGeneration } from '../agent-server/runtime/ask-runtime.ts';
import { notFound } from '../http/errors.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';

/**
 * Asks the runtime where a graph and its nodes are defined.
 * @throws HttpError 404 for an unknown graph, 400 if the graph's code fails, 503 if the runtime does not answer.
 */
export function locateGraph(runtime: DeploymentRuntime, graphId: string): Promise<GraphLocations> {
  return askGeneration(runtime, async (generation) => {
    if (!Object.hasOwn(generation.project.graphs, graphId)) throw notFound('Graph', graphId);
    return generation
      .runtimeOfGraph(graphId)
      .use((connection) =>
        connection.request('graph.locations', { graph_id: graphId, config: {}, context: {} }),
      );
  });
}
