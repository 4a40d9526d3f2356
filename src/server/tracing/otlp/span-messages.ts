import { isObject } from '../../../process/objects.ts';
import { type Attributes, parsed, parsedStructure } from './attributes.ts';
import { listUnder } from './nested-attributes.ts';

type Message = Record<string, unknown>;

/** An event of a span: its name and attributes. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

/**
 * Reads messages that OpenInference and OpenLLMetry spread over attributes: `gen_ai.prompt.0.role`,
 * `llm.output_messages.0.message.tool_calls.0.tool_call.function.name`, ….
 */
export function spreadMessages(attributes: Attributes, prefix: string): Message[] | undefined {
  return listUnder(attributes, prefix)?.filter(isObject).map(withOneContent).map(withPlainCalls);
}

/**
 * Normalizes the content of a message. OpenInference stores messages with several parts under another name, and their
 * images one level deeper; some senders write a text twice.
 */
function withOneContent({ contents, ...message }: Message): Message {
  if (!Array.isArray(contents)) return contents === undefined ? message : { ...message, contents };
  const content = contents.map((block) => {
    if (!isObject(block) || !isObject(block.image)) return block;
    const { image, ...others } = block;
    return { ...others, type: 'image_url', image_url: isObject(image.image) ? image.image : image };
  });
  const text = message.content;
  if (text === undefined || content.some((block) => isObject(block) && block.text === text))
    return { ...message, content: content.length === 1 && text !== undefined ? text : content };
  return { ...message, contents: content };
}

/** Converts tool calls to LangChain's form, with parsed arguments; other fields are kept. */
function withPlainCalls(message: Message): Message {
  const { tool_calls: calls } = message;
  return Array.isArray(calls) ? { ...message, tool_calls: calls.map(plainCall) } : message;
}

function plainCall(call: unknown): unknown {
  if (!isObject(call)) return call;
  const { function: called, type, arguments: given, ...others } = call;
  const {
    name,
    arguments: args,
    ...more
  } = isObject(called) ? called : { name: call.name, arguments: given };
  if (name === undefined) return call;
  return {
    ...others,
    ...more,
    name,
    ...(type === undefined || type === 'function' ? {} : { type }),
    ...(args === undefined ? {} : { args: parsed(args) }),
  };
}

/**
 * Reads messages from events, an older form of the GenAI conventions.
 * @param name matches the names of events that are messages; its first group, if any, is the role.
 * @returns undefined without messages.
 */
export function eventMessages(events: readonly SpanEvent[], name: RegExp): Message[] | undefined {
  const list = events.flatMap((event) => {
    const role = name.exec(event.name);
    return role === null ? [] : [messageOfEvent(role[1] ?? 'assistant', event.attributes)];
  });
  return list.length === 0 ? undefined : list;
}

/** Attributes of message events that are not part of the message: `gen_ai.system`, `event.name`. */
const NOT_OF_MESSAGE = /^(?:gen_ai|event|server)\./;

/**
 * Converts an event to a message. Attributes cannot be objects, so objects in them are JSON text. A
 * `gen_ai.choice` event has its message in the attribute `message`.
 */
function messageOfEvent(role: string, attributes: Attributes): Message {
  const { message, ...others } = Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      NOT_OF_MESSAGE.test(name) ? [] : [[name, parsedStructure(value)]],
    ),
  );
  if (role === 'tool' && others.tool_call_id === undefined && others.id !== undefined) {
    others.tool_call_id = others.id;
    delete others.id;
  }
  if (message === undefined) return withPlainCalls({ role, ...others });
  return withPlainCalls(
    isObject(message) ? { role, ...others, ...message } : { role, ...others, content: message },
  );
}
