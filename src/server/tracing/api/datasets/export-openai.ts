import type { Example } from '../../../../contract/datasets/examples.ts';
import { isObject } from '../../../../process/objects.ts';
import { invalid } from '../../../http/errors.ts';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  AIMessageChunk: 'assistant',
};

/**
 * Examples as JSON lines of chat messages, as fine-tuning takes them: the messages of the inputs, then the answer.
 * @throws HttpError 422 for an example without messages.
 */
export function exportOpenai(examples: readonly Example[]): string {
  return examples
    .map((example) => {
      const messages = [...messagesIn(example.inputs), ...messagesIn(example.outputs)];
      if (messages.length === 0) {
        throw invalid(['path', 'dataset_id'], `Example '${example.id}' has no chat messages.`, 'no_messages');
      }
      return `${JSON.stringify({ messages })}\n`;
    })
    .join('');
}

/** Messages where chat examples have them: `messages` or `input`, or one message as `message`, `output` or `generations`. */
function messagesIn(side: Record<string, unknown> | null | undefined): Message[] {
  for (const name of ['messages', 'input', 'message', 'output', 'generations']) {
    const found = [side?.[name]].flat(3).flatMap((value) => messageOf(value) ?? []);
    if (found.length > 0) return found;
  }
  return [];
}

/** A plain message, LangChain's stored form `{type, data}`, or its serialized form with `kwargs`. */
function messageOf(value: unknown): Message | undefined {
  const fields = asObject(value);
  if (fields === undefined) return undefined;
  const inner = asObject(fields.message) ?? asObject(fields.data) ?? asObject(fields.kwargs);
  const role = fields.role ?? fields.type;
  if (inner !== undefined) return messageOf({ role, ...inner });
  if (typeof role !== 'string' || fields.content === undefined) return undefined;
  return { role: ROLES[role] ?? role, content: fields.content };
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}
