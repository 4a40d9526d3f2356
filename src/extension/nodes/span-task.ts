/** The task of a graph that a span belongs to. */
interface SpanTask {
  readonly node: string;
  /** The namespace of the graph that has the node; empty for the root graph. */
  readonly namespace: string;
  readonly taskId: string;
}

/**
 * Finds the task of a span by the namespace that LangGraph writes into its metadata: `child:task|model:task`
 * is the node `model` in `child`. Undefined if the span belongs to no node.
 */
export function spanTask(metadata: Readonly<Record<string, unknown>>): SpanTask | undefined {
  const own = metadata.langgraph_checkpoint_ns ?? metadata.checkpoint_ns;
  if (typeof own !== 'string') return undefined;
  const at = own.lastIndexOf('|');
  const [, node, taskId] = /^(.+):([^:]+)$/.exec(own.slice(at + 1)) ?? [];
  // `__start__` is LangGraph's own node, which only passes on the input.
  if (node === undefined || taskId === undefined || node === '__start__') return undefined;
  return { node, namespace: at < 0 ? '' : own.slice(0, at), taskId };
}
