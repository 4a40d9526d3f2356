import type { Client } from '../client/client.ts';
import type { JsonObject } from '../contract/fields.ts';
import type { GraphStatus, LiveDeployment } from '../contract/harbor.ts';
import type { ServedDeployment } from './tool-context.ts';

/** The maximum number of graphs that are found. */
const MAX_GRAPHS = 1_000;

/**
 * Makes a deployment available to tools. The deployment keeps running when they are done.
 * @param live the agent of an open folder; undefined for a built deployment
 * @throws Error when its graphs have failed to load, RequestError
 */
export async function serveDeployment(
  client: Client,
  live: LiveDeployment | undefined,
  signal: AbortSignal,
): Promise<ServedDeployment> {
  if (live?.runtime.state === 'failed') throw new Error(live.runtime.message);
  return {
    client,
    graphs: live?.runtime.state === 'ready' ? live.runtime.graphs : await readDeployedGraphs(client, signal),
    async locateNodes(graph_id) {
      if (live === undefined) return {};
      const params = { deployment_id: live.deployment_id, graph_id };
      return (await client.harbor.locateGraph({ params }, { signal })).nodes;
    },
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * Finds the graphs of a deployment by their default assistants, which name only the graphs, not their nodes.
 * @throws RequestError
 */
async function readDeployedGraphs(
  { assistants }: Pick<Client, 'assistants'>,
  signal: AbortSignal,
): Promise<GraphStatus[]> {
  const search = (body: { readonly metadata?: JsonObject }) =>
    assistants.search({ body: { ...body, limit: MAX_GRAPHS } }, { signal });
  const byDefault = await search({ metadata: { created_by: 'system' } });
  // A project's auth may let its users see only their own assistants.
  const found = byDefault.length > 0 ? byDefault : await search({});
  const names = [...new Set(found.flatMap(({ graph_id }) => graph_id ?? []))].toSorted();
  return names.map((graph_id) => ({ status: 'loaded', graph_id, nodes: {} }));
}
