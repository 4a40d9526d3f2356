import type { GraphLocations } from '../../contract/harbor.ts';
import { ConnectionClosedError, RpcError } from '../../runtime/protocol/connection.ts';
import { HttpError, notFound } from '../http/errors.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import { RuntimeUnavailableError } from '../runtimes/process/runtime-errors.ts';

/**
 * Asks the runtime where a graph and its nodes are defined.
 * @throws HttpError 404 for an unknown graph, 503 when the runtime does not answer.
 */
export async function locateGraph(runtime: DeploymentRuntime, graphId: string): Promise<GraphLocations> {
  try {
    const generation = await runtime.ready();
    return await generation
      .runtimeOfGraph(graphId)
      .use((connection) =>
        connection.request('graph.locations', { graph_id: graphId, config: {}, context: {} }),
      );
  } catch (error) {
    if (error instanceof RuntimeUnavailableError || error instanceof ConnectionClosedError)
      throw new HttpError(503, error.message);
    if (error instanceof RpcError) throw notFound('Graph', graphId);
    throw error;
  }
}
