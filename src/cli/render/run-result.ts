import { z } from 'zod';
import { MessageChunk } from '../../contract/agent-server/run-events.ts';
import { messageText } from './message-text.ts';

const WithMessages = z.looseObject({ messages: z.array(z.unknown()).min(1) });

/** The result of a run: the agent's last message, or the values of its state. */
export type RunResult =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'values'; readonly values: unknown };

/**
 * The last message of a conversation, if it is the agent's; else all values except the messages, if there are
 * any.
 */
export function resultOf(values: unknown): RunResult | undefined {
  const conversation = WithMessages.safeParse(values);
  if (!conversation.success) return isEmpty(values) ? undefined : { kind: 'values', values };
  const { messages, ...others } = conversation.data;
  const last = MessageChunk.safeParse(messages.at(-1));
  const text = last.success && last.data.type === 'ai' ? messageText(last.data) : '';
  if (text !== '') return { kind: 'message', text };
  return isEmpty(others) ? undefined : { kind: 'values', values: others };
}

function isEmpty(values: unknown): boolean {
  return (
    values === null ||
    values === undefined ||
    (typeof values === 'object' && Object.keys(values).length === 0)
  );
}
