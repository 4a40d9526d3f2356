import { z } from 'zod';

/** LangGraph's metadata of a span about where it comes from. */
export const SpanOrigin = z.object({
  graph: z.string().optional(),
  node: z.string().optional(),
  thread: z.string().optional(),
  assistant: z.string().optional(),
});
export type SpanOrigin = z.output<typeof SpanOrigin>;

/** The parts of an origin that can be shown. */
export interface ShowableOrigin {
  /** The node or graph whose source the runtime knows. */
  readonly source: string | undefined;
  /** Whether a deployment of an open folder has the thread. */
  readonly has_thread: boolean;
}
