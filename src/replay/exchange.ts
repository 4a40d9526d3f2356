import { z } from 'zod';

/** The text of a body, or its bytes in base64 when it is not UTF-8. */
export const Body = z.discriminatedUnion('encoding', [
  z.object({ encoding: z.literal('utf8'), data: z.string() }),
  z.object({ encoding: z.literal('base64'), data: z.string() }),
]);
export type Body = z.output<typeof Body>;

const Headers = z.array(z.tuple([z.string(), z.string()]));

export const RecordedRequest = z.object({
  method: z.string(),
  url: z.string(),
  headers: Headers,
  body: Body.nullable(),
});
export type RecordedRequest = z.output<typeof RecordedRequest>;

export const RecordedResponse = z.object({
  status: z.int(),
  headers: Headers,
  /** The body in the pieces that it came in, each encoded like the others. */
  encoding: z.enum(['utf8', 'base64']),
  chunks: z.array(z.string()),
  /** The reader left, or the connection broke, before the end. */
  cut: z.boolean().optional(),
});
export type RecordedResponse = z.output<typeof RecordedResponse>;

/** Where in a graph something was asked: the node, and its task among those of its superstep. */
export const Place = z.object({
  /** Names of nodes from the root graph down, joined by `|`; empty outside of nodes. */
  node: z.string(),
  /** Tells the tasks of a node apart. */
  task: z.string(),
});
export type Place = z.output<typeof Place>;

/** A request that a run sent, and what was answered. */
export const Exchange = z.object({
  kind: z.literal('exchange'),
  run_id: z.string(),
  /** The order in which the requests of a run were begun, from 0. */
  ordinal: z.int(),
  place: Place,
  /** Whom it was for: a model, or something else (a tool). */
  of: z.enum(['model', 'tool']),
  /** Of the canonical request; what it was computed from, see `canonical-request.ts`. */
  hash: z.string(),
  request: RecordedRequest,
  /** Null when there was none. */
  response: RecordedResponse.nullable(),
  /** Why there was none: the message and the code of the error. */
  error: z.object({ message: z.string(), code: z.string().optional() }).optional(),
});
export type Exchange = z.output<typeof Exchange>;
