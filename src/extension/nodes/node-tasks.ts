import * as l10n from '@vscode/l10n';
import type { Client } from '../../client/client.ts';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import { checkpointIdOf } from '../states/checkpoint-ids.ts';
import type { NodeAddress } from './node-address.ts';

/** A task of a thread's state: a node that ran, or comes next. */
export interface NodeTask {
  readonly address: NodeAddress & GraphPlace;
  /** The result as it was stored; null or undefined if there is none. */
  readonly result: unknown;
  /** The namespace of the graph that the node runs; undefined if it runs none. */
  readonly inside: string | undefined;
}

/** A graph that has run on a thread: the root graph, or a subgraph by its namespace. */
export interface GraphPlace extends Pick<NodeAddress, 'deployment' | 'namespace'> {
  readonly threadId: string;
}

/** The part of a client that reads states. */
interface HistoryClient {
  readonly threads: Pick<Client['threads'], 'history'>;
}

/** The maximum number of states of a graph that are searched. */
const MAX_STATES = 100;

/** The tasks of a state, without those of LangGraph itself. */
export function tasksOf(state: ThreadState, place: GraphPlace): NodeTask[] {
  const tasks = state.tasks.filter(({ name }) => name !== '__start__');
  return tasks.map(({ id, name, checkpoint, result }) => ({
    address: { ...place, node: name, checkpointId: checkpointIdOf(state), taskId: id },
    result,
    inside: checkpoint?.checkpoint_ns ?? undefined,
  }));
}

/** Lists the tasks of a graph's newest `MAX_STATES` states, newest state first. @throws RequestError */
export async function listTasks(client: HistoryClient, place: GraphPlace): Promise<NodeTask[]> {
  const { threadId: thread_id, namespace: checkpoint_ns } = place;
  const states = await client.threads.history({
    params: { thread_id },
    body: { limit: MAX_STATES, checkpoint: { thread_id, checkpoint_ns } },
  });
  return states.flatMap((state) => tasksOf(state, place));
}

/**
 * Finds the newest task of a node.
 * @param path the node's name; in a subgraph, it follows the names of the nodes that lead there:
 *   `child:model`
 * @throws Error if the node has not run on the thread; RequestError
 */
export async function findLastTask(
  client: HistoryClient,
  { deployment, threadId }: Omit<GraphPlace, 'namespace'>,
  path: string,
): Promise<NodeAddress> {
  let namespace: string | undefined = '';
  let found: NodeTask | undefined;
  for (const node of path.split(':')) {
    const tasks: NodeTask[] =
      namespace === undefined ? [] : await listTasks(client, { deployment, threadId, namespace });
    const ofNode = tasks.filter(({ address }) => address.node === node);
    found = ofNode[0];
    namespace = ofNode.find(({ inside }) => inside !== undefined)?.inside;
  }
  if (found === undefined) throw new Error(l10n.t('This node has not run on this thread.'));
  return found.address;
}
