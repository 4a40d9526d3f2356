import type { Example } from '../../../../contract/datasets/examples.ts';
import { invalid } from '../../../http/errors.ts';
import { chatMessages } from '../../runs/chat-messages.ts';

/**
 * Examples as JSON lines of chat messages, the format for fine-tuning: the messages of the inputs, then the
 * answer.
 * @throws HttpError 422 for an example without messages.
 */
export function exportOpenai(examples: readonly Example[]): string {
  return examples
    .map(({ id, inputs, outputs }) => {
      const messages = [...chatMessages(inputs), ...chatMessages(outputs)].map(
        ({ id: _, ...message }) => message,
      );
      if (messages.length === 0) {
        throw invalid(['path', 'dataset_id'], `Example '${id}' has no chat messages.`, 'no_messages');
      }
      return `${JSON.stringify({ messages })}\n`;
    })
    .join('');
}
