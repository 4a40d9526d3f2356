import { z } from 'zod';

/** VS Code's description of the place in a webview that its context menu was opened on. */
const Webview = z.looseObject({ webview: z.string() });
const Span = z.looseObject({ spanId: z.string() });
const Checkpoint = z.object({ deployment: z.string(), threadId: z.string(), checkpointId: z.string() });
export type CheckpointPlace = z.output<typeof Checkpoint>;

/** The type of the panel that a context menu was opened in. @throws ZodError */
export function readWebview(argument: unknown): string {
  return Webview.parse(argument).webview;
}

/** The span that the context menu of a trace panel was opened on; undefined if it was opened elsewhere. */
export function readSpanId(argument: unknown): string | undefined {
  return Span.safeParse(argument).data?.spanId;
}

/** The checkpoint that a code lens or a message is about. @throws ZodError */
export function readCheckpoint(argument: unknown): CheckpointPlace {
  return Checkpoint.parse(argument);
}
