import { isDictionary } from '../../../terms/fields.ts';
import { parseJson } from '../../shared/json-input.ts';
import { messagesOf } from '../messages.ts';

/** A queued input as text to edit: the text of its only message, else JSON. */
export function textOfInput(input: unknown): string {
  const [message, ...others] = messagesOf(input);
  const isMessage = message !== undefined && others.length === 0 && isDictionary(input);
  return isMessage && Object.keys(input).length === 1 ? message.text : JSON.stringify(input, undefined, 2);
}

/** The input after its text was edited. Files of its message are kept. */
export function withText(input: unknown, text: string): { value: unknown } | { problem: string } {
  if (textOfInput(input) === JSON.stringify(input, undefined, 2)) return parseJson(text);
  // A text of its own is offered only for an input whose only field is one message, alone or in a list.
  const messages = isDictionary(input) ? input.messages : undefined;
  const changed = Array.isArray(messages)
    ? messages.map((message: unknown) => withContent(message, text))
    : withContent(messages, text);
  return { value: { messages: changed } };
}

function withContent(message: unknown, text: string): unknown {
  if (!isDictionary(message)) return message;
  const { content } = message;
  if (!Array.isArray(content)) return { ...message, content: text };
  const files = content.filter((block: unknown) => !isDictionary(block) || block.type !== 'text');
  return { ...message, content: text === '' ? files : [{ type: 'text', text }, ...files] };
}
