import { importFrom } from '../langgraph/installed-package.ts';
import { isMessageLike } from '../langgraph/message-like.ts';
import { isRecord } from '../langgraph-types.ts';
import { findLangChainCore } from './langchain-core.ts';

/**
 * Replaces the messages in the values of a graph with LangChain's objects, as LangSmith's `evaluate` passes
 * them. agentevals compares only these and OpenAI's messages; it considers all others equal.
 * @param file the evaluator's module, from which LangChain is looked up; without LangChain, messages stay
 * unchanged.
 */
export async function reviveMessages(values: unknown, file: string): Promise<unknown> {
  const core = findLangChainCore(file);
  if (core === undefined) return values;
  const { coerceMessageLikeToMessage: toMessage } = await importFrom(core, './messages', 'import');
  return typeof toMessage === 'function' ? revive(values, (message) => toMessage(message)) : values;
}

function revive(value: unknown, toMessage: (message: object) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => revive(item, toMessage));
  if (!isRecord(value)) return value;
  if (!isMessageLike(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revive(inner, toMessage)]));
  }
  try {
    return toMessage(value);
  } catch {
    // The value only looks like a message.
    return value;
  }
}
