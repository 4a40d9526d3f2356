/**
 * Reads messages in the many forms of models, tracers and graphs, and turns them into messages with parts.
 * Unknown fields are kept unchanged, so that no part of a message is missing when it is shown.
 */

import { type Dictionary, Fields, isDictionary } from './fields.ts';
import { type MessagePart, readCall, readContent, readThoughts } from './message-parts.ts';

export interface Message {
  readonly id: string | undefined;
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** The role or the type as it was written: `user`, `assistant`, `AIMessageChunk`. */
  readonly writtenRole: string;
  /** The tool that returned the message. */
  readonly name: string | undefined;
  readonly toolCallId: string | undefined;
  readonly failed: boolean;
  readonly parts: readonly MessagePart[];
  /** Unknown fields; `undefined` when there are none. */
  readonly rest: Dictionary | undefined;
}

/** Finish reasons that are not shown, because they are usual. */
const USUAL_FINISH_REASONS = [
  'stop',
  'STOP',
  'end_turn',
  'tool_calls',
  'tool_call',
  'tool_use',
  'tool-calls',
  'function_call',
];

/** Reads a message; `undefined` when the value is not a message. */
export function readMessage(value: unknown): Message | undefined {
  if (!isDictionary(value)) return undefined;
  if (Array.isArray(value.id) && isDictionary(value.kwargs)) {
    const name: unknown = value.id.at(-1);
    if (typeof name !== 'string' || !/Message(?:Chunk)?$/.test(name)) return undefined;
    const { id: _, kwargs, type, ...others } = value;
    const rest = type === 'constructor' ? others : { type, ...others };
    return makeMessage({ ...kwargs }, name, new Fields(rest).rest());
  }
  if (typeof value.type === 'string' && isDictionary(value.data) && isLangChainType(value.type)) {
    const { type: _, data, ...others } = value;
    return makeMessage(data, value.type, new Fields(others).rest());
  }
  const written = typeof value.role === 'string' ? value.role : value.type;
  if (typeof written !== 'string') return undefined;
  const hasContent = 'content' in value || Array.isArray(value.parts);
  if (typeof value.role === 'string') {
    if (!hasContent && !Array.isArray(value.tool_calls) && !isDictionary(value.function_call))
      return undefined;
    return makeMessage(value, written, undefined);
  }
  return hasContent && isLangChainType(written) ? makeMessage(value, written, undefined) : undefined;
}

/** The speaker of a message. @param written its role or its type: `user`, `AIMessageChunk` */
export function roleOf(written: string): Message['role'] {
  switch (written.replace(/(Message)?(Chunk)?$/, '').toLowerCase()) {
    case 'human':
    case 'user':
      return 'human';
    case 'ai':
    case 'assistant':
    case 'model':
      return 'ai';
    case 'system':
    case 'developer':
      return 'system';
    case 'tool':
    case 'function':
      return 'tool';
    default:
      return 'other';
  }
}

function isLangChainType(type: string): boolean {
  return /^(?:human|ai|system|tool|function|chat|developer|generic|user|assistant|\w+Message(?:Chunk)?)$/.test(
    type,
  );
}

/** Makes a message of its fields. @param outer the fields next to the message in its envelope */
export function makeMessage(value: Dictionary, writtenRole: string, outer: Dictionary | undefined): Message {
  const fields = new Fields(value);
  const role = roleOf(writtenRole);
  const failed = fields.is('status', 'error');
  dropUsual(fields, writtenRole, role);
  const toolCallId = fields.text('tool_call_id');
  const name = role === 'tool' ? fields.text('name') : undefined;
  const id = fields.text('id');
  const reasoning = fields.text('reasoning_content');
  const content = readContent(fields.value('content'));
  const parts = readContent(fields.list('parts'));
  const calls = [...(fields.list('tool_calls') ?? [])].flatMap(readCall);
  const oldCall = fields.dictionary('function_call');
  const takeRepeated = takeRepeatedCalls(calls);
  // The calls were assembled from these chunks.
  fields.take(takeRepeated, 'tool_call_chunks');
  const kwargs = fields.dictionary('additional_kwargs');
  // Thoughts in `additional_kwargs` repeat those in the content.
  const thoughts = content.some(({ kind }) => kind === 'reasoning') ? [] : readThoughts(kwargs);
  const extra = kwargs && withoutRepeated(kwargs, takeRepeated, thoughts.length > 0);
  const all = withCalls(
    [
      ...(reasoning ? [{ kind: 'reasoning', text: reasoning } as const] : []),
      ...thoughts,
      ...content,
      ...parts,
    ],
    [...calls, ...(oldCall === undefined ? [] : readCall(oldCall))],
  );
  const rest = { ...fields.rest(), ...(extra === undefined ? {} : { additional_kwargs: extra }) };
  if (outer !== undefined) all.push({ kind: 'json', value: outer });
  return {
    id,
    role: role === 'human' && all.length > 0 && all.every(({ kind }) => kind === 'result') ? 'tool' : role,
    writtenRole,
    name,
    toolCallId,
    failed,
    parts: all,
    rest: Object.keys(rest).length === 0 ? undefined : rest,
  };
}

/** Takes fields that repeat the role, or have the usual value, so that they are not shown. */
function dropUsual(fields: Fields, writtenRole: string, role: Message['role']): void {
  fields.is('role', writtenRole);
  fields.is('type', writtenRole, 'message', 'constructor');
  // Some senders give a message its role as its type, too.
  if (role !== 'other') fields.is('type', role);
  fields.is('status', 'success', 'completed');
  dropUsualFinish(fields);
}

/** Takes finish reasons that are usual, so that they are not shown. */
export function dropUsualFinish(fields: Fields): void {
  for (const name of ['finish_reason', 'finishReason', 'stop_reason'])
    fields.is(name, ...USUAL_FINISH_REASONS);
}

/**
 * The `additional_kwargs` of a message without the calls and thoughts that it has elsewhere too: LangChain keeps the
 * provider's form in addition to its own.
 * @param hasThoughts whether its thoughts were read from here
 */
function withoutRepeated(
  kwargs: Dictionary,
  takeRepeated: (value: unknown) => unknown,
  hasThoughts: boolean,
): Dictionary | undefined {
  const fields = new Fields(kwargs);
  fields.take(takeRepeated, 'tool_calls');
  if (hasThoughts && !fields.text('reasoning_content')) fields.dictionary('reasoning');
  return fields.rest();
}

/** A reader for `Fields.take` that takes lists of the same calls in another form. */
function takeRepeatedCalls(calls: readonly MessagePart[]): (value: unknown) => unknown {
  const known = new Set(calls.map((call) => JSON.stringify(call)));
  return (value) =>
    Array.isArray(value) && value.flatMap(readCall).every((call) => known.has(JSON.stringify(call)))
      ? value
      : undefined;
}

/** Adds the calls that the parts lack: LangChain has calls both in the content and in a separate list. */
function withCalls(parts: readonly MessagePart[], calls: readonly MessagePart[]): MessagePart[] {
  const inContent = new Set(parts.map((part) => (part.kind === 'call' ? JSON.stringify(part) : '')));
  return [...parts, ...calls.filter((call) => !inContent.has(JSON.stringify(call)))];
}

/** A message with this content and nothing else. */
export function messageWith(writtenRole: string, content: unknown): Message {
  return makeMessage({ content }, writtenRole, undefined);
}

/** A message of Gemini. @param role the role of a message that lacks one */
export function geminiMessage(value: Dictionary, role: string): Message {
  return makeMessage(value, typeof value.role === 'string' ? value.role : role, undefined);
}

/** The text of a message, without its other contents. */
export function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
