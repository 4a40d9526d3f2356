import type { Client } from '../../client/client.ts';
import type { GraphLocations, LiveDeployment, RuntimeState, SourceLocation } from '../../contract/harbor.ts';

type Live = Pick<LiveDeployment, 'deployment_id' | 'runtime'>;
type Connect = () => Promise<{ readonly harbor: Pick<Client['harbor'], 'locateGraph'> }>;

/** The source locations of the nodes of served graphs, as their runtimes report them. */
export class GraphSources {
  readonly #asked = new WeakMap<RuntimeState, Map<string, Promise<GraphLocations | undefined>>>();

  /**
   * Finds the source of a node, or of its graph if no node is named; undefined if the runtime does not know
   * it.
   * @param connect returns the deployment's client; called only when needed.
   */
  async find(
    live: Live,
    graph: string,
    node: string | undefined,
    connect: Connect,
  ): Promise<SourceLocation | undefined> {
    if (live.runtime.state !== 'ready') return undefined;
    const found = live.runtime.graphs.find(({ graph_id }) => graph_id === graph);
    if (found?.status !== 'loaded') return undefined;
    if (node === undefined) return found.location;
    return found.nodes[node] ?? (await this.#locate(live, graph, connect))?.nodes[node];
  }

  /**
   * Asks the runtime once for each load of its graphs, because looking up functions in its debugger is slow.
   */
  #locate(live: Live, graph: string, connect: Connect): Promise<GraphLocations | undefined> {
    const asked = this.#asked.get(live.runtime) ?? new Map<string, Promise<GraphLocations | undefined>>();
    this.#asked.set(live.runtime, asked);
    const { deployment_id } = live;
    const answer =
      asked.get(graph) ??
      connect()
        .then(({ harbor }) => harbor.locateGraph({ params: { deployment_id, graph_id: graph } }))
        // The source stays unknown; the next call asks again.
        .catch(() => {
          asked.delete(graph);
          return undefined;
        });
    asked.set(graph, answer);
    return answer;
  }
}
