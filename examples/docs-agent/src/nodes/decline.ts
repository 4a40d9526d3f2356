import { AIMessage } from '@langchain/core/messages';
import type { DocsNode } from '../state.ts';
import { questionOf } from '../turn.ts';

/** Says that the question stays unanswered. */
export const decline: DocsNode = ({ messages }) => ({
  messages: [new AIMessage(`I don't know: the documents do not answer “${questionOf(messages)}”.`)],
});
