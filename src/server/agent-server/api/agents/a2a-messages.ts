import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { CONTENT_TYPE_NOT_SUPPORTED } from './a2a-errors.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';

const MAX_CONTEXT_LENGTH = 256;

/** A part of a message in the forms of 0.3 (`kind`) and 1.0 (no kind). */
const Part = z
  .looseObject({ kind: z.string().optional(), text: z.string().optional(), data: z.unknown().optional() })
  .superRefine((part, context) => {
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: 'custom', message, path });
    if (isFile(part)) return;
    const { kind, text, data } = part;
    if (kind !== undefined && kind !== 'text' && kind !== 'data')
      return refuse("Must be 'text' or 'data'.", 'kind');
    if (kind === 'text' && text === undefined) return refuse('Required in a part of kind text.', 'text');
    if (kind === 'data' && data === undefined) return refuse('Required in a part of kind data.', 'data');
    if (text === undefined && data === undefined) return refuse('A part must have text or data.');
  });

export const A2aMessage = z.looseObject({
  role: z.enum(['user', 'agent', 'ROLE_USER', 'ROLE_AGENT']),
  parts: z.array(Part).min(1),
  messageId: z.string().min(1),
  contextId: z.string().max(MAX_CONTEXT_LENGTH).nullish(),
  taskId: z.string().nullish(),
});
export type A2aMessage = z.output<typeof A2aMessage>;

/** @throws RpcFailure for a message with a file: graphs get texts and data. */
export function requireKnownContent({ parts }: A2aMessage): void {
  const at = parts.findIndex(isFile);
  if (at === -1) return;
  throw new RpcFailure(
    CONTENT_TYPE_NOT_SUPPORTED,
    `params.message.parts.${at}: files are not supported. Send text or data.`,
  );
}

/**
 * The input a graph gets: texts as one human message, data parts as fields.
 * @throws RpcFailure for data that have no fields.
 */
export function toInput(message: A2aMessage): JsonObject {
  const text = textOf(message);
  const data: JsonObject = Object.assign({}, ...message.parts.map(fieldsOf));
  if (text === '') return data;
  const earlier: unknown[] = Array.isArray(data.messages) ? data.messages : [];
  return {
    ...data,
    messages: [...earlier, { role: 'human', content: text, id: message.messageId }],
  };
}

/** The answer to an interrupt: data parts if there are any, otherwise the text. */
export function toAnswer(message: A2aMessage): unknown {
  const part = message.parts.find(({ data }) => data !== undefined);
  return part === undefined ? textOf(message) : part.data;
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

const Question = z.looseObject({ value: z.string() });

/** The question of a graph: interrupts that are texts as they are, and all of them as data. */
export function toQuestion(interrupts: unknown): object[] {
  const asked = z.record(z.string(), z.array(z.unknown())).catch({}).parse(interrupts);
  const texts = Object.values(asked)
    .flat()
    .flatMap((interrupt) => Question.safeParse(interrupt).data?.value ?? []);
  return [...texts.map((text) => ({ kind: 'text', text })), { kind: 'data', data: { interrupts } }];
}

/** The newest messages of a state that say something, oldest first. */
export function toHistory(values: unknown, length: number, contextId: string, taskId: string): object[] {
  const messages = Values.safeParse(values).data?.messages ?? [];
  return messages
    .filter(({ type }) => type === 'human' || type === 'ai')
    .map(({ type, id, content }, at) => ({ type, id: id ?? `${taskId}-${at}`, text: contentText(content) }))
    .filter(({ text }) => text !== '')
    .slice(-length)
    .map(({ type, id, text }) => ({
      kind: 'message',
      role: type === 'human' ? 'user' : 'agent',
      messageId: id,
      contextId,
      taskId,
      parts: [{ kind: 'text', text }],
    }));
}

function textOf(message: A2aMessage): string {
  return message.parts.flatMap((part) => part.text ?? []).join('\n');
}

function isFile(part: { readonly [field: string]: unknown }): boolean {
  if (part.kind === 'file') return true;
  return part.kind === undefined && ['file', 'raw', 'url'].some((field) => Object.hasOwn(part, field));
}

function fieldsOf({ data }: { readonly data?: unknown }, at: number): JsonObject {
  if (data === undefined) return {};
  const fields = JsonObject.safeParse(data);
  if (fields.success) return fields.data;
  throw new RpcFailure(
    INVALID_PARAMS,
    `params.message.parts.${at}.data: must be an object, whose fields are the input of the graph.`,
  );
}

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });

function contentText(content: string | readonly unknown[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => TextBlock.safeParse(block).data?.text ?? '').join('');
}
