import type { JsonObject } from '../../../../contract/fields.ts';
import { isObject } from '../../../../process/objects.ts';
import type { RunRow } from '../../data/run-store.ts';
import { eventsOf } from '../../runs/run-stream.ts';
import type { ThreadSource } from '../follow-thread.ts';
import { projectionOf } from './run-projection.ts';

/** The graph of a run with the subgraphs that it has entered, nested, each with its status. */
export async function readAgentTree(source: ThreadSource, run: RunRow): Promise<JsonObject> {
  const projection = projectionOf(run);
  const events = await readStoredEvents(source, run.run_id);
  const projected = events.flatMap((event) => projection.event(event));
  if (run.ended_at !== null) projected.push(...projection.end(run.status));
  const root: TreeNode = { namespace: [], status: 'started', graph_name: run.graph_id, children: [] };
  const nodes = new Map<string, TreeNode>([['', root]]);
  for (const { method, namespace, data } of projected) {
    if (method !== 'lifecycle' || !isObject(data)) continue;
    const key = namespace.join('|');
    const node = nodes.get(key) ?? newNode(namespace, data);
    if (!nodes.has(key)) {
      nodes.set(key, node);
      (nodes.get(namespace.slice(0, -1).join('|')) ?? root).children.push(node);
    }
    node.status = String(data.event);
  }
  return { ...root };
}

interface TreeNode {
  namespace: readonly string[];
  status: string;
  graph_name: string;
  children: TreeNode[];
}

function newNode(namespace: readonly string[], data: Readonly<Record<string, unknown>>): TreeNode {
  return { namespace, status: 'started', graph_name: String(data.graph_name), children: [] };
}

async function readStoredEvents({ db }: ThreadSource, runId: string) {
  const rows = await db
    .selectFrom('run_events')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('first_seq')
    .execute();
  return rows.flatMap(eventsOf);
}
