import { type Dictionary, Fields, isDictionary, saysNothing } from './fields.ts';
import type { MessagePart } from './message-parts.ts';
import {
  dropUsualFinish,
  geminiMessage,
  type Message,
  makeMessage,
  messageWith,
  readMessage,
  roleOf,
  textOf,
} from './messages.ts';

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
/** The maximum depth of nested objects and lists that are searched for messages. */
const MAX_DEPTH = 8;

/** Finds the messages in a payload, in any of the usual forms. */
export function readPayload(value: unknown): Payload {
  return readAt(value, 0);
}

/** @param depth how many objects and lists enclose the value */
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
    return makeMessage({ content: [item] }, 'assistant', undefined);
  return type === 'function_call_output' || type === 'custom_tool_call_output'
    ? makeMessage({ content: [item] }, 'tool', undefined)
    : undefined;
}
