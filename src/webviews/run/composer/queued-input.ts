import { isDictionary } from '../../../terms/fields.ts';
import { parseJson } from '../../shared/json-input.ts';
import { messagesOf, type WireMessage } from '../messages.ts';

/** A queued input as text to edit: the text of its only message, else JSON. */
export function textOfInput(input: unknown): string {
  return onlyMessageOf(input)?.text ?? JSON.stringify(input, undefined, 2);
}

/** The input after its text was edited. Files of its message are kept. */
export function withText(input: unknown, text: string): { value: unknown } | { problem: string } {
  if (onlyMessageOf(input) === undefined) return parseJson(text);
  const messages = isDictionary(input) ? input.messages : undefined;
  const changed = Array.isArray(messages)
    ? messages.map((message: unknown) => withContent(message, text))
    : withContent(messages, text);
  return { value: { messages: changed } };
}

/** The message of an input whose only field is one message, alone or in a list; undefined for any other input. */
function onlyMessageOf(input: unknown): WireMessage | undefined {
  const [message, ...others] = messagesOf(input);
  const isAlone = others.length === 0 && isDictionary(input) && Object.keys(input).length === 1;
  return isAlone ? message : undefined;
}

function withContent(message: unknown, text: string): unknown {
  if (!isDictionary(message)) return message;
  const { content } = message;
  if (!Array.isArray(content)) return { ...message, content: text };
  const files = content.filter((block: unknown) => !isDictionary(block) || block.type !== 'text');
  return { ...message, content: text === '' ? files : [{ type: 'text', text }, ...files] };
}
