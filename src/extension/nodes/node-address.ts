import * as vscode from 'vscode';
import { segment } from '../documents/address-segments.ts';

export const NODE_SCHEME = 'agent-harbor-node';
/** The scheme of results that can be kept, for `when` clauses. */
export const NODE_RESULT_SCHEME = 'agent-harbor-node-result';
/** The scheme of results that cannot be kept. */
export const NODE_RESULT_ONLY_SCHEME = `${NODE_RESULT_SCHEME}-only`;

/** A node, and the place where it ran or would run. */
export interface NodeAddress {
  /** The key of the deployment. */
  readonly deployment: string;
  readonly node: string;
  readonly threadId?: string | undefined;
  /** Needed only when the thread is unknown. */
  readonly graphId?: string | undefined;
  /** Empty for the root graph. */
  readonly namespace: string;
  readonly checkpointId?: string | undefined;
  readonly taskId?: string | undefined;
}

/** The address of the document of a node's input. */
export function nodeUri(address: NodeAddress): vscode.Uri {
  const { deployment, node, threadId, graphId, namespace, checkpointId, taskId } = address;
  const given = { thread: threadId, graph: graphId, checkpoint: checkpointId, task: taskId };
  const query = new URLSearchParams({ deployment, node, namespace });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
  const place = (threadId ?? graphId ?? 'node').slice(-8);
  return vscode.Uri.from({
    scheme: NODE_SCHEME,
    path: `/${segment(place)}/${segment(vscode.l10n.t('{0} input', node))}.json`,
    query: query.toString(),
  });
}

/** The reverse of {@link nodeUri}. */
export function nodeAddressOf(uri: vscode.Uri): NodeAddress {
  const query = new URLSearchParams(uri.query);
  const at = (name: string) => query.get(name) ?? undefined;
  return {
    deployment: at('deployment') ?? '',
    node: at('node') ?? '',
    namespace: at('namespace') ?? '',
    threadId: at('thread'),
    graphId: at('graph'),
    checkpointId: at('checkpoint'),
    taskId: at('task'),
  };
}

/** An address as the fields of a request. */
export function addressFields({ node, threadId, graphId, namespace, checkpointId, taskId }: NodeAddress) {
  return {
    node,
    thread_id: threadId,
    graph_id: graphId,
    checkpoint_ns: namespace,
    checkpoint_id: checkpointId,
    task_id: taskId,
  };
}
