import { isDeepStrictEqual } from 'node:util';
import { isMessageLike } from '../langgraph/message-like.ts';
import type { UserLangGraph } from '../langgraph/user-langgraph.ts';
import { isRecord } from '../langgraph-types.ts';
import { isMessage, toJsonText } from '../link/wire-format.ts';

/**
 * Converts a node's input from JSON that a person may have edited. Unchanged parts become the recorded
 * values, with their classes, and messages become LangChain's objects.
 * @param recorded the recorded input; undefined when it is not known
 * @throws Error of LangChain, for a message that it cannot read
 */
export async function applyEdits(
  edited: unknown,
  recorded: unknown,
  langgraph: UserLangGraph,
): Promise<unknown> {
  const { coerceMessageLikeToMessage } = await langgraph.importModule('@langchain/core/messages');
  const toMessage = (value: object): unknown =>
    typeof coerceMessageLikeToMessage === 'function' ? coerceMessageLikeToMessage(value) : value;
  return read(edited, recorded, toMessage);
}

function read(edited: unknown, recorded: unknown, toMessage: (value: object) => unknown): unknown {
  if (recorded !== undefined && isDeepStrictEqual(JSON.parse(toJsonText(recorded)), edited)) return recorded;
  if (!isRecord(edited)) return edited;
  if (isMessage(recorded) || isMessageLike(edited)) return toMessage(edited);
  const earlier = isRecord(recorded) ? recorded : {};
  const inner = (key: string, value: unknown) => read(value, earlier[key], toMessage);
  if (Array.isArray(edited)) return edited.map((item: unknown, index) => inner(String(index), item));
  return Object.fromEntries(Object.entries(edited).map(([key, value]) => [key, inner(key, value)]));
}
