import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';

/** Parts of A2A messages in the forms of 0.3 (`kind`) and 1.0 (no kind). */
const Part = z.looseObject({
  kind: z.string().optional(),
  text: z.string().optional(),
  data: JsonObject.optional(),
});

export const A2aMessage = z.looseObject({
  role: z.string(),
  parts: z.array(Part).min(1),
  messageId: z.string().optional(),
  contextId: z.string().nullish(),
  taskId: z.string().nullish(),
});
export type A2aMessage = z.output<typeof A2aMessage>;

/** The input a graph gets: texts as one human message, data parts as fields. */
export function toInput(message: A2aMessage): JsonObject {
  const text = textOf(message);
  const data: JsonObject = Object.assign({}, ...message.parts.map((part) => part.data ?? {}));
  if (text === '') return data;
  const earlier: unknown[] = Array.isArray(data.messages) ? data.messages : [];
  return { ...data, messages: [...earlier, { role: 'human', content: text, ...idOf(message) }] };
}

/** The answer to an interrupt: data parts if there are any, otherwise the text. */
export function toAnswer(message: A2aMessage): unknown {
  const data = message.parts.find((part) => part.data !== undefined)?.data;
  return data ?? textOf(message);
}

const Values = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        id: z.string().nullish(),
        content: z.union([z.string(), z.array(z.unknown())]).catch(''),
      }),
    )
    .catch([]),
});

/** The last message of the agent, or the whole state if it has no messages. */
export function toParts(values: unknown): object[] {
  const messages = Values.safeParse(values).data?.messages ?? [];
  const said = messages.findLast(({ type }) => type === 'ai' || type === 'AIMessage');
  const text = said === undefined ? '' : contentText(said.content);
  if (text !== '') return [{ kind: 'text', text }];
  return [{ kind: 'data', data: JsonObject.catch({ value: values }).parse(values ?? {}) }];
}

/** The newest messages of a state, oldest first. */
export function toHistory(values: unknown, length: number, contextId: string, taskId: string): object[] {
  const messages = Values.safeParse(values).data?.messages ?? [];
  return messages
    .filter(({ type }) => type === 'human' || type === 'ai')
    .slice(length === 0 ? messages.length : -length)
    .map(({ type, id, content }, at) => ({
      kind: 'message',
      role: type === 'human' ? 'user' : 'agent',
      messageId: id ?? `${taskId}-${at}`,
      contextId,
      taskId,
      parts: [{ kind: 'text', text: contentText(content) }],
    }));
}

function textOf(message: A2aMessage): string {
  return message.parts.flatMap((part) => part.text ?? []).join('\n');
}

function idOf({ messageId }: A2aMessage): { id?: string } {
  return messageId === undefined ? {} : { id: messageId };
}

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

function contentText(content: string | readonly unknown[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => TextBlock.safeParse(block).data?.text ?? '').join('');
}
