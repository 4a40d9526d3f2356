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
