import { z } from 'zod';

/** LangGraph's metadata of a span about where it comes from. */
export const SpanOrigin = z.object({
  graph: z.string().optional(),
  node: z.string().optional(),
  thread: z.string().optional(),
  assistant: z.string().optional(),
});
export type SpanOrigin = z.output<typeof SpanOrigin>;
