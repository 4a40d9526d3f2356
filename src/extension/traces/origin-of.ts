import { isObject } from '../../process/objects.ts';
import type { SpanOrigin } from './span-origin.ts';

/** Reads where a span comes from. @param metadata the metadata of the span */
export function originOf(metadata: unknown): SpanOrigin {
  const fields = isObject(metadata) ? metadata : {};
  const text = (key: string) => {
    const value = fields[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    graph: text('graph_id'),
    node: text('langgraph_node'),
    thread: text('thread_id'),
    assistant: text('assistant_id'),
  };
}
