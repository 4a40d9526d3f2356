import { z } from 'zod';
import { JsonObject } from '../../../../contract/fields.ts';
import { fileBlock } from '../../../../terms/file-block.ts';
import { FilePart, isFile } from './a2a-files.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';

const MAX_CONTEXT_LENGTH = 256;

/** A part of a message, in the form of A2A 0.3 (with `kind`) or 1.0 (without). */
const Part = z
  .looseObject({ kind: z.string().optional(), text: z.string().optional(), data: z.unknown().optional() })
  .superRefine((part, context) => {
    const refuse = (message: string, ...path: string[]) =>
      context.addIssue({ code: 'custom', message, path });
    if (isFile(part)) {
      if (!FilePart.safeParse(part).success) refuse('A file must have either its bytes or a URL.');
      return;
    }
    const { kind, text, data } = part;
    if (kind !== undefined && kind !== 'text' && kind !== 'data')
      return refuse("Must be 'text', 'data' or 'file'.", 'kind');
    if (kind === 'text' && text === undefined) return refuse('Required in a part of kind text.', 'text');
    if (kind === 'data' && data === undefined) return refuse('Required in a part of kind data.', 'data');
    if (text === undefined && data === undefined) return refuse('A part must have text, data or a file.');
  });

/** A message of a client, in the form of A2A 0.3 or 1.0. */
export const A2aMessage = z.looseObject({
  role: z.enum(['user', 'agent', 'ROLE_USER', 'ROLE_AGENT']),
  parts: z.array(Part).min(1),
  messageId: z.string().min(1),
  contextId: z.string().max(MAX_CONTEXT_LENGTH).nullish(),
  taskId: z.string().nullish(),
});
export type A2aMessage = z.output<typeof A2aMessage>;

/**
 * The input for a graph: texts and files as one human message, data parts as fields.
 * @throws RpcFailure for data that is not an object.
 */
export function toInput(message: A2aMessage): JsonObject {
  const content = contentOf(message);
  const data: JsonObject = Object.assign({}, ...message.parts.map(fieldsOf));
  if (content === '') return data;
  const given = data.messages ?? [];
  // LangGraph also takes a single message.
  const earlier: unknown[] = Array.isArray(given) ? given : [given];
  return { ...data, messages: [...earlier, { role: 'human', content, id: message.messageId }] };
}

/**
 * The answer to an interrupt: the first data part, which replaces everything else, otherwise the text, or
 * blocks if there are files.
 */
export function toAnswer(message: A2aMessage): unknown {
  const part = message.parts.find(({ data }) => data !== undefined);
  return part === undefined ? contentOf(message) : part.data;
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

/**
 * The parts of an agent's answer, from its final state: the text of the last AI message, or the whole state
 * if there is no such text.
 */
export function toParts(values: unknown): object[] {
  const messages = Values.safeParse(values).data?.messages ?? [];
  const last = messages.findLast(({ type }) => type === 'ai' || type === 'AIMessage');
  const text = last === undefined ? '' : contentText(last.content);
  if (text !== '') return [{ kind: 'text', text }];
  return [{ kind: 'data', data: JsonObject.catch({ value: values }).parse(values ?? {}) }];
}

const Question = z.looseObject({ value: z.string() });

/** The parts of a graph's question: the interrupts that are text, and all interrupts as data. */
export function toQuestion(interrupts: unknown): object[] {
  const byTask = z.record(z.string(), z.array(z.unknown())).catch({}).parse(interrupts);
  const texts = Object.values(byTask)
    .flat()
    .flatMap((interrupt) => Question.safeParse(interrupt).data?.value ?? []);
  return [...texts.map((text) => ({ kind: 'text', text })), { kind: 'data', data: { interrupts } }];
}

/**
 * The newest human and AI messages of a state that have text, oldest first.
 * @param length how many at most; not 0
 */
export function toHistory(
  values: unknown,
  length: number,
  { contextId, taskId }: { readonly contextId: string; readonly taskId: string },
): object[] {
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

/** The content of a message: text, or blocks if there are files. */
function contentOf({ parts }: A2aMessage): string | JsonObject[] {
  if (!parts.some(isFile)) return parts.flatMap((part) => part.text ?? []).join('\n');
  return parts.flatMap((part): JsonObject[] => {
    if (isFile(part)) return [fileBlock(FilePart.parse(part))];
    return part.text === undefined || part.text === '' ? [] : [{ type: 'text', text: part.text }];
  });
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
