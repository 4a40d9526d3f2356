import { z } from 'zod';

/** A message as LangChain.js writes its objects into JSON: the last part of the id is the class. */
const SerializedMessage = z
  .object({
    lc: z.number(),
    type: z.literal('constructor'),
    id: z.array(z.string()).min(1),
    kwargs: z.looseObject({}),
  })
  .transform(({ id, kwargs }) => ({ name: id.at(-1) ?? '', kwargs }))
  .refine(({ name }) => /Message(?:Chunk)?$/.test(name));

/**
 * Replaces LangChain's serialized messages in a value with messages as they are in states, `{type: "ai", content: …}`.
 * Graphs and models accept both forms; this one is readable.
 */
export function withPlainMessages(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || !text.includes('"lc":')) return value;
  // Values are read from the inside out, so that messages in messages are plain too.
  return JSON.parse(text, (_, inner: unknown) => {
    const message = SerializedMessage.safeParse(inner);
    return message.success ? { type: typeOfClass(message.data.name), ...message.data.kwargs } : inner;
  });
}

/** The type of messages of a class: `ai` for `AIMessageChunk`. */
function typeOfClass(name: string): string {
  return name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}

/** Fields of messages that differ in every run and are not part of the answer. */
const VARYING_FIELDS = new Set(['id', 'response_metadata', 'usage_metadata', 'lc_kwargs']);

/**
 * An output in a form that can be compared: plain messages, without the fields that differ in every run. Tool calls
 * keep their names and arguments.
 */
export function comparableOutput(value: unknown): unknown {
  const text = JSON.stringify(withPlainMessages(value));
  if (text === undefined) return value;
  return JSON.parse(text, (_, inner: unknown) => {
    if (!isMessage(inner)) return inner;
    const fields = Object.entries(inner).filter(
      ([name, field]) => !VARYING_FIELDS.has(name) && !isEmpty(field),
    );
    return Object.fromEntries(fields);
  });
}

/** Whether a value is a message as in states: `{type: "ai", content: …}`. Documents have other types. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || !('content' in value) || !('type' in value))
    return false;
  return ['human', 'ai', 'system', 'tool', 'function', 'remove', 'chat'].includes(String(value.type));
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.keys(value).length === 0;
}
