import type { MessageChunk } from '../../contract/agent-server/run-events.ts';

/** The text of a message: that of all its content blocks, joined. */
export function messageText({ content }: Pick<MessageChunk, 'content'>): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) =>
      block !== null && typeof block === 'object' && 'text' in block && typeof block.text === 'string'
        ? block.text
        : '',
    )
    .join('');
}
