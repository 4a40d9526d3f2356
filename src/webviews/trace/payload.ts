import { readMessage, type WireMessage } from '../run/messages.ts';
import { isDictionary } from '../shared/is-dictionary.ts';

/** An input or output as it is shown: its messages in order, and what else it holds. */
export interface Payload {
  readonly messages: readonly WireMessage[];
  /** `undefined` when the messages were all. */
  readonly rest: unknown;
}

/** Keys under which tracers put what a model was given or has said. */
const MESSAGE_KEYS = ['messages', 'generations', 'choices', 'output', 'message'];
/** Beside messages these say nothing that the span does not. */
const EMPTY_KEYS = new Set(['llm_output', 'run', 'type']);

/** Finds the messages in a payload, whichever of the usual forms they have. */
export function readPayload(value: unknown): Payload {
  if (!isDictionary(value)) return { messages: [], rest: value };
  const own = messageFrom(value);
  if (own !== undefined) return { messages: [own], rest: undefined };
  const messages: WireMessage[] = [];
  const rest: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const found = MESSAGE_KEYS.includes(key) ? messagesIn(part) : undefined;
    if (found !== undefined && found.length > 0) messages.push(...found);
    else if (!(EMPTY_KEYS.has(key) && isEmpty(part))) rest[key] = part;
  }
  if (messages.length === 0) return { messages, rest: value };
  return { messages, rest: Object.keys(rest).length === 0 ? undefined : rest };
}

/** The messages of a list, or of a list of lists; `undefined` when there is something else in it. */
function messagesIn(value: unknown): WireMessage[] | undefined {
  if (!Array.isArray(value)) {
    const message = messageFrom(value);
    return message && [message];
  }
  const found: WireMessage[] = [];
  for (const item of value) {
    const messages = Array.isArray(item) ? messagesIn(item) : messageFrom(item);
    if (messages === undefined) return undefined;
    if (Array.isArray(messages)) found.push(...messages);
    else found.push(messages);
  }
  return found;
}

function messageFrom(value: unknown): WireMessage | undefined {
  if (Array.isArray(value) || !isDictionary(value)) return undefined;
  // A generation or a choice: the message is inside, or there is only its text.
  if (isDictionary(value.message)) return messageFrom(value.message);
  if (typeof value.text === 'string' && !('content' in value) && !('role' in value))
    return readMessage({ type: 'ai', content: value.text });
  // LangChain's own serialization: the class's name is the type.
  if (value.lc === 1 && Array.isArray(value.id) && isDictionary(value.kwargs)) {
    const name = value.id.at(-1);
    return typeof name === 'string' ? readMessage({ ...value.kwargs, type: name }) : undefined;
  }
  return readMessage(openAiCalls(value));
}

/** Calls of tools as OpenAI writes them become those of LangChain. */
function openAiCalls(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Array.isArray(message.tool_calls)) return message;
  const tool_calls = message.tool_calls.map((call: unknown) => {
    if (!isDictionary(call) || !isDictionary(call.function)) return call;
    return { id: call.id, name: call.function.name, args: parseJson(call.function.arguments) };
  });
  return { ...message, content: message.content ?? '', tool_calls };
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'string') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
