import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';

/**
 * The deployment to put a run file on: the current one, or another of the open folder that has the file's graph.
 * @throws ActionableError when there is none
 */
export async function openForGraph(deployments: Deployments, graphId: string): Promise<OpenDeployment> {
  const current = await deployments.open();
  if (hasGraph(current.live?.runtime, graphId)) return current;
  for (const { config, state } of await deployments.folders.list()) {
    if (state.status === 'open' && hasGraph(state.live.runtime, graphId))
      return deployments.folders.open(config);
  }
  // Another platform says itself that it does not have the graph.
  return current;
}

type Runtime = NonNullable<OpenDeployment['live']>['runtime'];

function hasGraph(runtime: Runtime | undefined, graphId: string): boolean {
  return runtime?.state === 'ready' && runtime.graphs.some(({ graph_id }) => graph_id === graphId);
}
