import type { Client } from '../client/client.ts';
import type { GraphStatus } from '../contract/harbor.ts';

/** Each graph has an assistant of its own; more of them are made by hand. */
const MAX_ASSISTANTS = 100;

/** The graphs of what was built, of which only the names are known. @throws RequestError */
export async function readDeployedGraphs(
  { assistants }: Pick<Client, 'assistants'>,
  signal: AbortSignal,
): Promise<GraphStatus[]> {
  const found = await assistants.search({ body: { limit: MAX_ASSISTANTS } }, { signal });
  const names = [...new Set(found.flatMap(({ graph_id }) => graph_id ?? []))].toSorted();
  return names.map((graph_id) => ({ status: 'loaded', graph_id, nodes: {} }));
}
