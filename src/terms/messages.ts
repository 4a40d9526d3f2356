/**
 * Reads messages in the many forms of models, tracers and graphs, and turns them into messages with parts.
 * Unknown fields are kept unchanged, so that no part of a message is missing when it is shown.
 */

import { type Dictionary, Fields, isDictionary, saysNothing } from './fields.ts';
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

/** An input or output: its messages in order, and its other contents. */
export interface Payload {
  readonly messages: readonly Message[];
  /** `undefined` when there was nothing besides messages. */
  readonly rest: unknown;
}

/** Keys of lists of messages, or of texts that are messages. */
const LIST_KEYS = new Set(['messages', 'generations', 'choices', 'candidates', 'contents', 'history']);
/** Keys of values that may be or contain messages. */
const NESTED_KEYS = new Set([
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
const INSTRUCTION_KEYS = [
  'system_instructions',
  'system_instruction',
  'systemInstruction',
  'instructions',
  'system',
];
/** Pairs of keys for instructions and a question that are both texts: of OpenAI's Responses, and of the Vercel AI SDK. */
const QUESTION_KEYS = [
  { instructions: 'instructions', question: 'input' },
  { instructions: 'system', question: 'prompt' },
] as const;
/** The `repr` of a Python object, such as `ChatMessage(role=…)`, which is not the text of a message. */
const PYTHON_REPR = /^[A-Z]\w*\(\w+=/;
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
/** The maximum depth of nested objects and lists that are searched for messages. */
const MAX_DEPTH = 8;

/** Finds the messages in a payload, in any of the usual forms. */
export function readPayload(value: unknown): Payload {
  return readAt(value, 0);
}

/** Reads a message; `undefined` when the value is not a message. */
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
  dropUsualFinish(fields);
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

/** Takes finish reasons that are usual, so that they are not shown. */
function dropUsualFinish(fields: Fields): void {
  for (const name of ['finish_reason', 'finishReason', 'stop_reason'])
    fields.is(name, ...USUAL_FINISH_REASONS);
}

/** The types that senders give a message in addition to its role. */
function typesOf(role: Message['role']): string[] {
  return { human: ['human'], ai: ['ai'], system: ['system'], tool: ['tool'], other: [] }[role];
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
  const instructions = takeInstructions(rest, messages.length > 0);
  if (messages.length + instructions.length === 0) return none;
  const left = Object.entries(rest).filter(([, part]) => !saysNothing(part));
  return {
    messages: [...instructions, ...messages],
    rest: left.length === 0 ? undefined : Object.fromEntries(left),
  };
}

function readKey(key: string, part: unknown, depth: number): Payload {
  const none = { messages: [], rest: part };
  if (LIST_KEYS.has(key)) {
    if (key === 'messages' && typeof part === 'string' && part !== '')
      return { messages: [messageWith('user', part)], rest: undefined };
    if (!Array.isArray(part))
      return key === 'messages' && isDictionary(part) ? readAt(part, depth + 1) : none;
    const messages = readList(part, depth + 1, key);
    return messages === undefined ? none : { messages, rest: undefined };
  }
  if (!NESTED_KEYS.has(key) || typeof part !== 'object') return none;
  // The content of Gemini's answers is a message, which may lack a role.
  if (key === 'content' && isDictionary(part) && Array.isArray(part.parts))
    return { messages: [geminiMessage(part, 'model')], rest: undefined };
  return readAt(part, depth + 1);
}

/**
 * Moves instructions, and a question beside them, from `rest` into messages. Instructions count as messages only next
 * to messages or to a question.
 */
function takeInstructions(rest: Record<string, unknown>, hasMessages: boolean): Message[] {
  const messages: Message[] = [];
  const question = questionKey(rest);
  if (!hasMessages && question === undefined) return messages;
  for (const key of INSTRUCTION_KEYS) {
    const instructions = rest[key];
    if (instructions === undefined || instructions === null || instructions === '') continue;
    delete rest[key];
    if (isDictionary(instructions) && Array.isArray(instructions.parts))
      messages.push({ ...geminiMessage(instructions, 'system'), role: 'system' });
    else messages.push(messageWith('system', instructions));
  }
  if (question !== undefined) {
    messages.push(messageWith('user', rest[question]));
    delete rest[question];
  }
  return messages;
}

function questionKey(value: Dictionary): string | undefined {
  return QUESTION_KEYS.find(
    ({ instructions, question }) =>
      typeof value[instructions] === 'string' && typeof value[question] === 'string',
  )?.question;
}

/** The question to a model or an agent, which is next to its instructions; undefined when there is none. */
export function questionIn(value: unknown): string | undefined {
  if (!isDictionary(value)) return undefined;
  const key = questionKey(value);
  return key === undefined ? undefined : String(value[key]);
}

function messageWith(writtenRole: string, content: unknown): Message {
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
    return key === 'messages' && item !== '' && !PYTHON_REPR.test(item)
      ? [messageWith('user', item)]
      : undefined;
  if (Array.isArray(item)) {
    const [role, content]: unknown[] = item;
    const isPair =
      key === 'messages' && item.length === 2 && typeof role === 'string' && roleOf(role) !== 'other';
    if (isPair && typeof content === 'string') return [messageWith(role, content)];
    return readList(item, depth + 1, key);
  }
  if (!isDictionary(item)) return undefined;
  const own = readMessage(item) ?? readResponseItem(item);
  if (own !== undefined) return [own];
  if (key === 'contents' && Array.isArray(item.parts)) return [geminiMessage(item, 'user')];
  if (key === 'generations' || key === 'choices' || key === 'candidates') return readAnswer(item);
  // A node's command may contain messages, and so may each item of a list of states.
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
  dropUsualFinish(fields);
  if (message === undefined && own === undefined) return undefined;
  const read = message ?? messageWith('ai', own);
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
