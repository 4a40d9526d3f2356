/**
 * The one reader of messages: it turns the many forms of models, tracers and graphs into messages with parts.
 * Unknown fields are kept unchanged, so that no part of a message is missing when it is shown.
 */

import { type Dictionary, Fields, isDictionary, saysNothing } from './fields.ts';
import { type MessagePart, readCall, readContent, readThoughts } from './message-parts.ts';

export interface Message {
  readonly id: string | undefined;
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** The role or the type as it was written: `user`, `assistant`, `AIMessageChunk`. */
  readonly writtenRole: string;
  /** The tool that returned it. */
  readonly name: string | undefined;
  readonly toolCallId: string | undefined;
  readonly failed: boolean;
  readonly parts: readonly MessagePart[];
  /** Unknown fields; `undefined` when there are none. */
  readonly rest: Dictionary | undefined;
}

/** An input or output: its messages in order, and its other contents. */
export interface Payload {
  readonly messages: readonly Message[];
  /** `undefined` when there was nothing besides messages. */
  readonly rest: unknown;
}

/** Keys of messages, or of texts that are messages. */
const LISTS = new Set(['messages', 'generations', 'choices', 'candidates', 'contents', 'history']);
/** Keys of possible messages. */
const MAYBE = new Set([
  'prompt',
  'output',
  'input',
  'message',
  'update',
  'value',
  'response',
  'content',
  'item',
]);
/** Keys of system instructions next to the messages of a model call. */
const INSTRUCTIONS = [
  'system_instructions',
  'system_instruction',
  'systemInstruction',
  'instructions',
  'system',
];
/** Keys of instructions and question where these are two texts: in OpenAI's Responses, and in the Vercel AI SDK. */
const ASKED = [
  { told: 'instructions', question: 'input' },
  { told: 'system', question: 'prompt' },
] as const;
/** Objects that Python printed, such as `ChatMessage(role=…)`, which nobody said. */
const PRINTED = /^[A-Z]\w*\(\w+=/;
/** Reasons for the end of a message that are usual, and therefore not shown. */
const USUAL_ENDS = [
  'stop',
  'STOP',
  'end_turn',
  'tool_calls',
  'tool_call',
  'tool_use',
  'tool-calls',
  'function_call',
];
const MAX_DEPTH = 8;

/** Finds the messages in a payload, in any of the usual forms. */
export function readPayload(value: unknown): Payload {
  return readAt(value, 0);
}

/** Reads a message; `undefined` when the value is none. */
export function readMessage(value: unknown): Message | undefined {
  if (!isDictionary(value)) return undefined;
  if (Array.isArray(value.id) && isDictionary(value.kwargs)) {
    const name: unknown = value.id.at(-1);
    if (typeof name !== 'string' || !/Message(?:Chunk)?$/.test(name)) return undefined;
    const { id: _, kwargs, type, ...others } = value;
    const rest = type === 'constructor' ? others : { type, ...others };
    return messageOf({ ...kwargs }, name, new Fields(rest).rest());
  }
  if (typeof value.type === 'string' && isDictionary(value.data) && isLangChainType(value.type)) {
    const { type: _, data, ...others } = value;
    return messageOf(data, value.type, new Fields(others).rest());
  }
  const written = typeof value.role === 'string' ? value.role : value.type;
  if (typeof written !== 'string') return undefined;
  const hasContent = 'content' in value || Array.isArray(value.parts);
  if (typeof value.role === 'string') {
    if (!hasContent && !Array.isArray(value.tool_calls) && !isDictionary(value.function_call))
      return undefined;
    return messageOf(value, written, undefined);
  }
  return hasContent && isLangChainType(written) ? messageOf(value, written, undefined) : undefined;
}

/** The speaker of a message, by its role or its type. */
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
  return /^(?:human|ai|system|tool|function|chat|developer|generic|user|assistant|\w+Message(?:Chunk)?|AIMessageChunk)$/.test(
    type,
  );
}

/** @param outer the fields next to the message in its envelope. */
function messageOf(value: Dictionary, writtenRole: string, outer: Dictionary | undefined): Message {
  const fields = new Fields(value);
  fields.is('role', writtenRole);
  fields.is('type', writtenRole, 'message', 'constructor');
  fields.is('type', ...(roleOf(writtenRole) === 'other' ? [] : typesOf(roleOf(writtenRole))));
  const role = roleOf(writtenRole);
  const failed = fields.is('status', 'error');
  fields.is('status', 'success', 'completed');
  for (const name of ['finish_reason', 'finishReason', 'stop_reason']) fields.is(name, ...USUAL_ENDS);
  const toolCallId = fields.text('tool_call_id');
  const name = role === 'tool' ? fields.text('name') : undefined;
  const id = fields.text('id');
  const reasoning = fields.text('reasoning_content');
  const content = readContent(fields.value('content'));
  const parts = readContent(fields.list('parts'));
  const calls = [...(fields.list('tool_calls') ?? [])].flatMap(readCall);
  const oldCall = fields.dictionary('function_call');
  const isDouble = doublesOf(calls);
  // The calls were assembled from them.
  fields.take(isDouble, 'tool_call_chunks');
  const kwargs = fields.dictionary('additional_kwargs');
  // If the content has them, the separate ones are the same.
  const thoughts = content.some(({ kind }) => kind === 'reasoning') ? [] : readThoughts(kwargs);
  const extra = kwargs && withoutDoubles(kwargs, isDouble, thoughts.length > 0);
  const all = withoutDoubleCalls(
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

/** Senders give a message a type in addition to its role. */
function typesOf(role: Message['role']): string[] {
  return { human: ['human'], ai: ['ai'], system: ['system'], tool: ['tool'], other: [] }[role];
}

/**
 * LangChain keeps a provider's calls in addition to its own. @param hasThoughts whether its thoughts were read
 */
function withoutDoubles(
  kwargs: Dictionary,
  isDouble: (value: unknown) => unknown,
  hasThoughts: boolean,
): Dictionary | undefined {
  const fields = new Fields(kwargs);
  fields.take(isDouble, 'tool_calls');
  if (hasThoughts && !fields.text('reasoning_content')) fields.dictionary('reasoning');
  return fields.rest();
}

/** Finds lists of calls that a message has in another form too. */
function doublesOf(calls: readonly MessagePart[]): (value: unknown) => unknown {
  const known = new Set(calls.map((call) => JSON.stringify(call)));
  return (value) =>
    Array.isArray(value) && value.flatMap(readCall).every((call) => known.has(JSON.stringify(call)))
      ? value
      : undefined;
}

/** LangChain has calls both in the content, in the provider's form, and in a separate list. */
function withoutDoubleCalls(parts: readonly MessagePart[], calls: readonly MessagePart[]): MessagePart[] {
  const inContent = new Set(parts.map((part) => (part.kind === 'call' ? JSON.stringify(part) : '')));
  return [...parts, ...calls.filter((call) => !inContent.has(JSON.stringify(call)))];
}

function readAt(value: unknown, depth: number): Payload {
  const none = { messages: [], rest: value };
  if (depth > MAX_DEPTH) return none;
  if (Array.isArray(value)) {
    const messages = readList(value, depth);
    return messages === undefined ? none : { messages, rest: undefined };
  }
  if (!isDictionary(value)) return none;
  const own = readMessage(value);
  if (own !== undefined) return { messages: [own], rest: undefined };
  const messages: Message[] = [];
  const rest: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const found = readKey(key, part, depth);
    messages.push(...found.messages);
    if (found.rest !== undefined) rest[key] = found.rest;
  }
  const instructions = readInstructions(rest, messages.length > 0);
  if (messages.length + instructions.length === 0) return none;
  const left = Object.entries(rest).filter(([, part]) => !saysNothing(part));
  return {
    messages: [...instructions, ...messages],
    rest: left.length === 0 ? undefined : Object.fromEntries(left),
  };
}

function readKey(key: string, part: unknown, depth: number): Payload {
  const none = { messages: [], rest: part };
  if (LISTS.has(key)) {
    if (key === 'messages' && typeof part === 'string' && part !== '')
      return { messages: [said('user', part)], rest: undefined };
    if (!Array.isArray(part))
      return key === 'messages' && isDictionary(part) ? readAt(part, depth + 1) : none;
    const messages = readList(part, depth + 1, key);
    return messages === undefined ? none : { messages, rest: undefined };
  }
  if (!MAYBE.has(key) || typeof part !== 'object') return none;
  // Gemini's answers have a message as their content, which may lack a role.
  if (key === 'content' && isDictionary(part) && Array.isArray(part.parts))
    return { messages: [geminiMessage(part, 'model')], rest: undefined };
  return readAt(part, depth + 1);
}

/**
 * Instructions come first. They count as messages only next to messages, or next to the question of a model.
 */
function readInstructions(rest: Record<string, unknown>, hasMessages: boolean): Message[] {
  const messages: Message[] = [];
  const question = questionKey(rest);
  if (!hasMessages && question === undefined) return messages;
  for (const key of INSTRUCTIONS) {
    const told = rest[key];
    if (told === undefined || told === null || told === '') continue;
    delete rest[key];
    if (isDictionary(told) && Array.isArray(told.parts))
      messages.push({ ...geminiMessage(told, 'system'), role: 'system' });
    else messages.push(said('system', told));
  }
  if (question !== undefined) {
    messages.push(said('user', rest[question]));
    delete rest[question];
  }
  return messages;
}

function questionKey(value: Dictionary): string | undefined {
  return ASKED.find(
    ({ told, question }) => typeof value[told] === 'string' && typeof value[question] === 'string',
  )?.question;
}

/** The question of a model or an agent that is beside its instructions. */
export function questionIn(value: unknown): string | undefined {
  const key = isDictionary(value) ? questionKey(value) : undefined;
  return key === undefined || !isDictionary(value) ? undefined : String(value[key]);
}

function said(writtenRole: string, content: unknown): Message {
  return messageOf({ content }, writtenRole, undefined);
}

function geminiMessage(value: Dictionary, role: string): Message {
  return messageOf(value, typeof value.role === 'string' ? value.role : role, undefined);
}

/** The messages of a list; `undefined` when it has none. Other items among them are kept as JSON. */
function readList(list: readonly unknown[], depth: number, key?: string): Message[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const items = list.map((item) => readItem(item, depth, key));
  if (!items.some((item) => item !== undefined)) return undefined;
  return items.flatMap((found, at) => found ?? [unknownItem(list[at])]);
}

function unknownItem(item: unknown): Message {
  const parts: MessagePart[] = [{ kind: 'json', value: item }];
  return {
    id: undefined,
    role: 'other',
    writtenRole: '',
    name: undefined,
    toolCallId: undefined,
    failed: false,
    parts,
    rest: undefined,
  };
}

function readItem(item: unknown, depth: number, key: string | undefined): Message[] | undefined {
  if (typeof item === 'string')
    return key === 'messages' && item !== '' && !PRINTED.test(item) ? [said('user', item)] : undefined;
  if (Array.isArray(item)) {
    const [role, content]: unknown[] = item;
    const isPair =
      key === 'messages' && item.length === 2 && typeof role === 'string' && roleOf(role) !== 'other';
    if (isPair && typeof content === 'string') return [said(role, content)];
    return readList(item, depth + 1, key);
  }
  if (!isDictionary(item)) return undefined;
  const own = readMessage(item) ?? readResponseItem(item);
  if (own !== undefined) return [own];
  if (key === 'contents' && Array.isArray(item.parts)) return [geminiMessage(item, 'user')];
  if (key === 'generations' || key === 'choices' || key === 'candidates') return readAnswer(item);
  // A node's command has messages inside, as has a list of states.
  const inner = readAt(item, depth + 1);
  if (inner.messages.length === 0) return undefined;
  return inner.rest === undefined ? [...inner.messages] : [...inner.messages, unknownItem(inner.rest)];
}

/** One of a model's answers: it contains the message, or only its text. */
function readAnswer(item: Dictionary): Message[] | undefined {
  const fields = new Fields(item);
  const message = fields.take(
    (value) =>
      readMessage(value) ??
      (isDictionary(value) && Array.isArray(value.parts) ? geminiMessage(value, 'model') : undefined),
    'message',
    'delta',
    'content',
  );
  const text = textOf(message);
  const own = fields.text('text');
  fields.is('type', 'ChatGeneration', 'ChatGenerationChunk', 'Generation', 'GenerationChunk');
  for (const name of ['finish_reason', 'finishReason', 'stop_reason']) fields.is(name, ...USUAL_ENDS);
  if (message === undefined && own === undefined) return undefined;
  const read = message ?? said('ai', own);
  const others = { ...fields.rest(), ...(message !== undefined && own && own !== text ? { text: own } : {}) };
  if (Object.keys(others).length === 0) return [read];
  return [{ ...read, parts: [...read.parts, { kind: 'json', value: others }] }];
}

/** An item of OpenAI's Responses other than a message: a call, its result, or reasoning. */
function readResponseItem(item: Dictionary): Message | undefined {
  const { type } = item;
  if (type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning')
    return messageOf({ content: [item] }, 'assistant', undefined);
  return type === 'function_call_output' || type === 'custom_tool_call_output'
    ? messageOf({ content: [item] }, 'tool', undefined)
    : undefined;
}

/** The text of a message, without its other contents. */
export function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
