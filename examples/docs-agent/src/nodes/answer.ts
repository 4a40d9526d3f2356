import { SystemMessage } from '@langchain/core/messages';
import { bindTools } from '../models/bind-tools.ts';
import { chooseModel } from '../models/choose.ts';
import type { SearchTool } from '../search-docs.ts';
import { settingsOf } from '../settings.ts';
import type { Citation, DocsNode } from '../state.ts';
import { searchesOf } from '../turn.ts';

const instructions = new SystemMessage(
  'Answer the latest question from the passages that search_docs returned, and from nothing else. ' +
    'After each statement cite its passage by its source in square brackets, as in [docs/concepts.md#thread]. ' +
    'Where the passages do not answer, say so. Be brief.',
);

/** Has the model answer from the passages, and notes which of them the answer cites. */
export function createAnswer(searchDocs: SearchTool): DocsNode {
  return async ({ messages }, { context }) => {
    // Providers refuse a conversation with tool calls in it unless the tool is still there.
    const model = bindTools(await chooseModel(settingsOf(context)), [searchDocs], { tool_choice: 'none' });
    const message = await model.invoke([instructions, ...messages]);

    const citations: Citation[] = searchesOf(messages)
      .flatMap((search) => search.passages)
      .filter(({ source }) => message.text.includes(`[${source}]`))
      .map(({ text: _, ...citation }) => citation);
    message.additional_kwargs = { ...message.additional_kwargs, citations };
    return { messages: [message], citations };
  };
}
