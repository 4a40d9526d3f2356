import { z } from 'zod';

/** Where a span comes from, according to LangGraph's metadata. */
export const SpanOrigin = z.object({
  graph: z.string().optional(),
  node: z.string().optional(),
  thread: z.string().optional(),
  assistant: z.string().optional(),
});
export type SpanOrigin = z.output<typeof SpanOrigin>;

/** The parts of an origin that this window can open. */
export interface ShowableOrigin {
  /** The node or graph whose source the runtime knows. */
  readonly source: string | undefined;
  /** Whether a deployment of an open folder has the thread. */
  readonly has_thread: boolean;
}
