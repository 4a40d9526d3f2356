import { SystemMessage } from '@langchain/core/messages';
import { Command, END } from '@langchain/langgraph';
import { bindTools } from '../models/bind-tools.ts';
import { chooseModel } from '../models/choose.ts';
import type { SearchTool } from '../search-docs.ts';
import { settingsOf } from '../settings.ts';
import type { DocsNode } from '../state.ts';

const instructions = new SystemMessage(
  'You answer questions about a folder of documents. Search them before you answer anything about their subject: ' +
    'call search_docs with the key words of the question, made complete with what was said before. ' +
    'Answer without a search only when nothing is asked, as to a greeting.',
);

/** Has the model decide what to search for. */
export function createPlan(searchDocs: SearchTool): DocsNode<'retrieve' | typeof END> {
  return async ({ messages }, { context }) => {
    const model = bindTools(await chooseModel(settingsOf(context)), [searchDocs]);
    const message = await model.invoke([instructions, ...messages]);
    return new Command({
      update: { messages: [message], verdict: null, citations: [] },
      goto: message.tool_calls?.length ? 'retrieve' : END,
    });
  };
}
