import { z } from 'zod';

/** As LangChain.js writes its objects into JSON: the last part of the id is the class. */
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
 * A value with the messages in it as they are in states, `{type: "ai", content: …}`, in place of LangChain's
 * serialized objects. Graphs and models accept both; people only read these.
 */
export function withPlainMessages(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || !text.includes('"lc":')) return value;
  // From the inside out, so that messages in messages are plain too.
  return JSON.parse(text, (_, inner: unknown) => {
    const message = SerializedMessage.safeParse(inner);
    return message.success ? { type: roleOfClass(message.data.name), ...message.data.kwargs } : inner;
  });
}

/** `AIMessageChunk` is `ai`. */
export function roleOfClass(name: string): string {
  return name.replace(/Message(?:Chunk)?$/, '').toLowerCase();
}
