import { z } from 'zod';
import { roleOfClass, withPlainMessages } from '../../client/plain-messages.ts';
import { messageText } from './message-text.ts';

const ToolCalls = z.array(z.looseObject({ name: z.string(), args: z.unknown() })).nullish();
const Content = z.union([z.string(), z.array(z.unknown())]);

/** Messages as stored in states, and as people write them. */
const PlainMessage = z
  .looseObject({
    content: Content,
    type: z.string().optional(),
    role: z.string().optional(),
    tool_calls: ToolCalls.catch(undefined),
  })
  .transform((message) => ({ ...message, type: message.type ?? message.role ?? '' }))
  .refine(({ type }) => type !== '');

/** As LangChain's serializer writes them: the last part of the id is the class. */
const SerializedMessage = z
  .object({
    id: z.array(z.string()).min(1),
    kwargs: z.looseObject({ content: Content, tool_calls: ToolCalls.catch(undefined) }),
  })
  .transform(({ id, kwargs }) => ({ ...kwargs, type: roleOfClass(id.at(-1) ?? '') }));

const Message = z.union([SerializedMessage, PlainMessage]);
const Messages = z.union([
  z.array(Message).min(1),
  z
    .array(z.array(Message).min(1))
    .length(1)
    .transform(([inner]) => inner ?? []),
]);
/** A message, also as LangChain traces the result of a tool or a model. */
const SingleMessage = z.union([
  Message,
  z.strictObject({ output: Message }).transform(({ output }) => output),
]);
const Conversation = z.looseObject({ messages: Messages });
const Generations = z.looseObject({
  generations: z.array(z.array(z.looseObject({ text: z.string().optional(), message: Message.optional() }))),
});

/**
 * Inputs or outputs of a span for reading: messages as text, other fields as JSON.
 * @param value as it was traced
 */
export function contentTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const generated = Generations.safeParse(value);
  if (generated.success) {
    return generated.data.generations
      .flat()
      .map(({ message, text = '' }) => (message === undefined ? text : messageLine(message)));
  }
  const single = SingleMessage.safeParse(value);
  if (single.success) return [messageLine(single.data)];
  const conversation = Conversation.safeParse(value);
  if (!conversation.success) return [jsonText(value)];
  const { messages, ...others } = conversation.data;
  return [...messages.map(messageLine), ...(Object.keys(others).length === 0 ? [] : [jsonText(others)])];
}

function messageLine(message: z.output<typeof Message>): string {
  const calls = (message.tool_calls ?? []).map(({ name, args }) => `→ ${name} ${jsonText(args)}`);
  return [`${message.type}: ${messageText(message)}`.trimEnd(), ...calls].join('\n');
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(withPlainMessages(value)) ?? '');
}
