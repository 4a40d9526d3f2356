import type { SpanOrigin } from './span-origin.ts';

/** Where a span comes from. @param metadata its own */
export function originOf(metadata: Readonly<Record<string, unknown>>): SpanOrigin {
  const text = (key: string) => {
    const value = metadata[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    graph: text('graph_id'),
    node: text('langgraph_node'),
    thread: text('thread_id'),
    assistant: text('assistant_id'),
  };
}
