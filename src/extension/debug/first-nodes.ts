import type { Client } from '../../client/client.ts';
import type { LiveDeployment, SourceLocation } from '../../contract/harbor.ts';
import { toDiagram } from '../graphs/diagram.ts';
import type { GraphSources } from '../graphs/graph-sources.ts';

/**
 * Finds the sources of the first nodes of a live deployment's graphs, or only of `graph`. Nodes whose source
 * is not known are left out; graphs that have not loaded have none.
 */
export async function locateFirstNodes(
  { client, live }: { readonly client: Client; readonly live: LiveDeployment },
  sources: GraphSources,
  graph: string | undefined,
): Promise<SourceLocation[]> {
  const graphs = live.runtime.state === 'ready' ? live.runtime.graphs : [];
  const wanted = graphs.filter(({ graph_id }) => graph === undefined || graph_id === graph);
  const places = await Promise.all(
    wanted.map(async ({ graph_id }) => {
      const wire = await client.assistants
        .graph({ params: { assistant_id: graph_id } })
        // If a graph cannot be drawn, its first nodes are unknown.
        .catch(() => undefined);
      const { nodes, edges } = wire === undefined ? { nodes: [], edges: [] } : toDiagram(wire);
      const start = nodes.find(({ kind }) => kind === 'start')?.id;
      const first = edges.flatMap(({ source, target }) => (source === start ? [target] : []));
      return Promise.all(first.map((node) => sources.find(live, graph_id, node, async () => client)));
    }),
  );
  return places.flat().filter((place) => place !== undefined);
}
