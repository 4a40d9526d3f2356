import { type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type Search, SearchSchema } from './state.ts';

/** The latest question of a conversation. */
export function questionOf(messages: BaseMessage[]): string {
  return questionsOf(messages).at(-1) ?? '';
}

/** Everything a person has asked, oldest first. */
export function questionsOf(messages: BaseMessage[]): string[] {
  return messages.filter((message) => HumanMessage.isInstance(message)).map((message) => message.text.trim());
}

/** What was searched for, and found, since the latest question. */
export function searchesOf(messages: BaseMessage[]): Search[] {
  const start = messages.findLastIndex((message) => HumanMessage.isInstance(message));
  return messages
    .slice(start + 1)
    .filter((message) => ToolMessage.isInstance(message))
    .map((message) => SearchSchema.parse(JSON.parse(message.text)));
}
