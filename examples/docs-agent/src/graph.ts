import { END, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { CorpusShelf } from './corpus/corpus.ts';
import { createAnswer } from './nodes/answer.ts';
import { approve } from './nodes/approve.ts';
import { decline } from './nodes/decline.ts';
import { judge } from './nodes/judge.ts';
import { createPlan } from './nodes/plan.ts';
import { createSearchTool } from './search-docs.ts';
import { ContextSchema } from './settings.ts';
import { DocsInput, DocsState } from './state.ts';

const searchDocs = createSearchTool(new CorpusShelf());

/**
 * Answers questions about a folder of Markdown.
 *
 *     plan ──▶ retrieve ──▶ judge ── sure ──▶ answer
 *      ▲                      │                 ▲
 *      │                   unsure ──▶ approve ──┤
 *      └───── in other words ────────────┘      └──▶ decline
 */
export const docsAgent = new StateGraph({ state: DocsState, input: DocsInput, context: ContextSchema })
  .addNode('plan', createPlan(searchDocs), { ends: ['retrieve', END] })
  .addNode('retrieve', new ToolNode([searchDocs], { name: 'retrieve', handleToolErrors: false }))
  .addNode('judge', judge, { ends: ['answer', 'approve', 'decline'] })
  .addNode('approve', approve, { ends: ['answer', 'plan', 'decline'] })
  .addNode('answer', createAnswer(searchDocs))
  .addNode('decline', decline)
  .addEdge(START, 'plan')
  .addEdge('retrieve', 'judge')
  .addEdge('answer', END)
  .addEdge('decline', END);

export const graph = docsAgent.compile({ name: 'docs_agent' });
