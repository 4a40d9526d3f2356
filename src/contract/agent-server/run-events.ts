import { z } from 'zod';
import { JsonObject } from '../fields.ts';
import { Interrupt } from './threads.ts';

/** A message, or a newly received piece of one, with plain fields, never as a serialized LangChain object. */
export const MessageChunk = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  /** Text, or content blocks such as `{type: "text", text}`. */
  content: z.union([z.string(), z.array(z.unknown())]),
  name: z.string().nullish(),
  tool_calls: z.array(z.looseObject({ name: z.string(), args: z.unknown() })).nullish(),
  tool_call_id: z.string().nullish(),
});
export type MessageChunk = z.output<typeof MessageChunk>;

const envelope = {
  id: z.string().optional(),
  /** The event's name as received. */
  event: z.string(),
  namespace: z.array(z.string()),
};

function kind<const Kind extends string, Data extends z.ZodType>(name: Kind, data: Data) {
  return z.object({ ...envelope, kind: z.literal(name), data });
}

/**
 * An event of a run's stream (docs/interface/agent-server.md#streams), as clients read it. On the wire, an event of a
 * subgraph is named `kind|segment|segment`; the segments are its namespace.
 */
export const RunEvent = z.discriminatedUnion('kind', [
  kind(
    'metadata',
    z.looseObject({
      run_id: z.string(),
      attempt: z.int().optional(),
      /** Says that the cap on the run's cost cannot be enforced; only on Agent Harbor. */
      cost_warning: z.string().optional(),
    }),
  ),
  kind('values', z.unknown()),
  kind('updates', JsonObject),
  /** Mode `messages-tuple`: a piece of a message, and the metadata of the node that is writing it. */
  kind('messages', z.tuple([MessageChunk, JsonObject])),
  /** Mode `messages`: metadata by message ID; then the message so far; then the whole message. */
  kind('messages/metadata', JsonObject),
  kind('messages/partial', z.array(MessageChunk)),
  kind('messages/complete', z.array(MessageChunk)),
  kind('custom', z.unknown()),
  kind('tasks', JsonObject),
  kind('checkpoints', JsonObject),
  kind('events', JsonObject),
  kind('debug', JsonObject),
  kind('tools', JsonObject),
  /** The pre-signed address for each feedback key. */
  kind('feedback', z.record(z.string(), z.string())),
  kind('error', z.looseObject({ error: z.string(), message: z.string() })),
  kind('end', z.unknown()),
  /** An event that this version does not know. */
  kind('other', z.unknown()),
]);
export type RunEvent = z.output<typeof RunEvent>;

/** The interrupts that the data of an `updates` or `values` event contains. */
export const Interrupted = z.looseObject({ __interrupt__: z.array(Interrupt) });
export type Interrupted = z.output<typeof Interrupted>;
