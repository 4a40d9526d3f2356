import type { MessagePart } from '../../../terms/message-parts.ts';
import { type Message, roleOf } from '../../../terms/messages.ts';
import { readPayload } from '../../../terms/payload.ts';

/** A message in the form of OpenAI's chat completions, which clients of the public service understand. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string | readonly object[];
  readonly id?: string;
  readonly name?: string;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

const ROLES = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' } as const;
/** The classes and types of LangChain whose messages state their role, if they have one, in a field. */
const IS_CLASS = /^(?:chat|generic|\w+Message(?:Chunk)?)$/;

/** Finds the messages in an input or an output in any of the usual forms. */
export function chatMessages(payload: unknown): ChatMessage[] {
  return readPayload(payload).messages.flatMap(toChat);
}

/**
 * Finds the messages of a run: those of its input, then those of its output; only the latter if the output
 * repeats the input.
 */
export function chatOfRun(run: { readonly inputs?: unknown; readonly outputs?: unknown }): ChatMessage[] {
  const inputs = chatMessages(run.inputs);
  const outputs = chatMessages(run.outputs);
  const isRepeated = inputs.every((message) => outputs.some((other) => isSame(message, other)));
  return isRepeated ? outputs : [...inputs, ...outputs];
}

/** Adds a turn to a conversation; a turn often repeats all earlier messages, or the latest ones. */
export function addTurn(before: readonly ChatMessage[], turn: readonly ChatMessage[]): ChatMessage[] {
  const [first, ...others] = turn;
  const isKnownPrompt = first?.role === 'system' && before.some((message) => isSame(message, first));
  const messages = isKnownPrompt ? others : turn;
  // At least one message of a turn is new, even if its text is the same.
  for (let repeated = Math.min(before.length, messages.length - 1); repeated > 0; repeated--) {
    const end = before.slice(-repeated);
    if (end.every((message, at) => isSame(message, messages[at])))
      return [...before, ...messages.slice(repeated)];
  }
  return [...before, ...messages];
}

/** Whether two messages are the same, even if only one has an ID: graphs give IDs to messages that have none. */
function isSame(one: ChatMessage, other: ChatMessage | undefined): boolean {
  if (other === undefined || one.role !== other.role) return false;
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return JSON.stringify({ ...one, id: undefined }) === JSON.stringify({ ...other, id: undefined });
}

/** Converts a message; the results of several tools in one message become a message each. */
function toChat(item: Message): ChatMessage[] {
  const role = chatRole(item);
  if (role === undefined) return [];
  const { id, name, toolCallId, parts } = item;
  const results = parts.flatMap((part) => (part.kind === 'result' ? [part] : []));
  const answers = results.map(
    (result): ChatMessage => ({
      role: 'tool',
      content: contentOf(result.parts),
      ...(result.name === undefined ? {} : { name: result.name }),
      ...(result.id === undefined ? {} : { tool_call_id: result.id }),
    }),
  );
  const others = parts.filter(({ kind }) => kind !== 'result');
  if (answers.length > 0 && others.length === 0) return answers;
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [toCall(part)] : []));
  const message: ChatMessage = {
    role,
    content: contentOf(others),
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  };
  return [...answers, message];
}

/** The role of a message, which may be one of the application's own; undefined for what is no message of a speaker. */
function chatRole({ role, writtenRole, rest }: Message): string | undefined {
  if (role !== 'other') return ROLES[role];
  if (!IS_CLASS.test(writtenRole)) return writtenRole === '' ? undefined : writtenRole;
  const stated = rest?.role;
  if (typeof stated !== 'string') return undefined;
  const known = roleOf(stated);
  return known === 'other' ? stated : ROLES[known];
}

function toCall({ id, name, args }: Extract<MessagePart, { kind: 'call' }>): object {
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {});
  return { ...(id === undefined ? {} : { id }), type: 'function', function: { name, arguments: text } };
}

/** The content of a message, which is a plain text if there is nothing but text. */
function contentOf(parts: readonly MessagePart[]): ChatMessage['content'] {
  const blocks = parts.flatMap(toBlock);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return texts.length === blocks.length ? texts.join('') : blocks;
}

function toBlock(part: MessagePart): object[] {
  switch (part.kind) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', reasoning: part.text }];
    case 'file':
      return [part.block];
    case 'json':
      return isBlock(part.value) ? [part.value] : [];
    default:
      return [];
  }
}

/**
 * Whether a JSON value is a content block. Other values were added by a tracer, and are not part of the conversation.
 */
function isBlock(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
