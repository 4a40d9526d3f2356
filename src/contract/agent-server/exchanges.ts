import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

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
  /** The pieces in which the body arrived, all with the same encoding. */
  encoding: z.enum(['utf8', 'base64']),
  chunks: z.array(z.string()),
  /** Whether the reader stopped, or the connection broke, before the end. */
  cut: z.exactOptional(z.boolean()),
  /** The number of parts that follow, which together make up a long body. */
  parts: z.exactOptional(z.int()),
});
export type RecordedResponse = z.output<typeof RecordedResponse>;

/** The place in a graph from which a request was sent: a node, and one of its tasks in the superstep. */
export const Place = z.object({
  /** Names of nodes from the root graph down, joined by `|`; empty for code outside any node. */
  node: z.string(),
  /** Distinguishes the tasks of a node. */
  task: z.string(),
});
export type Place = z.output<typeof Place>;

/** A request that a run sent, and the response. */
export const Exchange = z.object({
  kind: z.literal('exchange'),
  run_id: z.string(),
  /** The order in which the requests of a run were begun, from 0. */
  ordinal: z.int(),
  place: Place,
  /** The kind of recipient: a model, or something else (a tool). */
  of: z.enum(['model', 'tool']),
  /** The hash of the canonical request (see `canonical-request.ts`). */
  hash: z.string(),
  request: RecordedRequest,
  /** Null if there was no response. */
  response: RecordedResponse.nullable(),
  /**
   * When the request was sent and when its response ended, in milliseconds since 1970. Absent in earlier recordings.
   */
  times: z.exactOptional(z.object({ start: z.number(), end: z.number() })),
  /**
   * Why there is no response, or why it broke off: the error, with the names of its class and of the classes of the
   * errors that it wraps.
   */
  error: z.exactOptional(
    z.object({
      message: z.string(),
      code: z.exactOptional(z.string()),
      types: z.exactOptional(z.array(z.string())),
    }),
  ),
});
export type Exchange = z.output<typeof Exchange>;

/** A part of a long body. */
export const ExchangePart = z.object({
  kind: z.literal('exchange_part'),
  run_id: z.string(),
  /** The ordinal of the exchange. */
  ordinal: z.int(),
  /** The position of the part, from 0. */
  part: z.int(),
  encoding: z.enum(['utf8', 'base64']),
  chunks: z.array(z.string()),
});
export type ExchangePart = z.output<typeof ExchangePart>;

/** An exchange, or one of the parts that follow it. */
export const RecordingLine = z.discriminatedUnion('kind', [Exchange, ExchangePart]);
export type RecordingLine = z.output<typeof RecordingLine>;

/** A difference between two requests, at a path such as `body.messages[0].content`. */
export const Difference = z.object({
  at: z.string(),
  recorded: z.unknown().optional(),
  now: z.unknown().optional(),
});
export type Difference = z.output<typeof Difference>;

/** The first request of a replay that the recording does not answer. */
export const Divergence = z.object({
  place: Place,
  /** How many requests of this run were answered before this one. */
  after: z.int(),
  request: RecordedRequest,
  /** Whether the request was recorded, but fewer times than it was sent. */
  repeated: z.boolean(),
  /** The unused recorded request that is most similar; null when all have been used. */
  nearest: z.object({ ordinal: z.int(), place: Place, request: RecordedRequest }).nullable(),
  /** The differences between the nearest recorded request and this one; empty if there is none. */
  differences: z.array(Difference),
});
export type Divergence = z.output<typeof Divergence>;

/** The state of a replay so far. */
export const ReplayReport = z.object({
  /** Requests answered from the recording. */
  answered: z.int(),
  /** Requests that were sent, because tools are live or new requests are allowed. */
  live: z.int(),
  /** The recorded requests that the replay has not sent yet; only the first 50. */
  unused: z.array(z.object({ ordinal: z.int(), place: Place, request: RecordedRequest })),
  /** The first request that was not recorded; null when there was none. */
  divergence: Divergence.nullable(),
});
export type ReplayReport = z.output<typeof ReplayReport>;

/** How the requests of a run are answered from a recording of its thread. */
export const Replay = z.object({
  /** The recorded run. */
  run_id: Uuid,
  /** Whether requests to anything but models are also answered from the recording, or sent. */
  tools: z.enum(['recorded', 'live']).default('recorded'),
  /** Whether requests that were not recorded are sent, instead of ending the run. */
  allow_new: z.boolean().default(false),
});
export type Replay = z.output<typeof Replay>;

const params = z.object({ thread_id: Uuid, run_id: Uuid });

/** The recorded exchanges of runs with models and tools. Agent Harbor only. */
export const recordings = {
  readRecording: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/threads/{thread_id}/recordings/{run_id}',
    summary: 'Read the recorded requests of a run, page by page',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    query: z.object({ cursor: z.string().max(40).optional() }),
    responses: { 200: z.looseObject({ exchanges: z.array(RecordingLine), next: z.string().nullable() }) },
  }),
  addRecording: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/threads/{thread_id}/recordings/{run_id}',
    summary: 'Add recorded requests to a thread, so that its runs can be answered from them',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'update' },
    params,
    body: z.object({ exchanges: z.array(RecordingLine).max(5_000) }),
    responses: { 204: null },
  }),
  readReplay: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/threads/{thread_id}/replays/{run_id}',
    summary: 'Read the answers of a replayed run, and where it diverged from its recording',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    responses: { 200: ReplayReport },
  }),
};
