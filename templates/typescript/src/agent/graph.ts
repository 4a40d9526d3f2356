import { SystemMessage } from '@langchain/core/messages';
import { END, type GraphNode, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { OfflineModel } from './offline-model.ts';
import { tools } from './tools.ts';

/** What a thread remembers: the conversation. Add fields of your own; nodes return the ones they change. */
const State = new StateSchema({ messages: MessagesValue });

/**
 * The model that answers. To use a provider's, `npm install @langchain/openai` (or another package) and write
 *
 *     const model = new ChatOpenAI({ model: 'gpt-5-mini' }).bindTools(tools);
 */
const model = new OfflineModel({}).bindTools(tools);

const instructions = new SystemMessage('You are a helpful assistant. Answer briefly.');

/** Lets the model answer, or ask for tools. */
const callModel: GraphNode<typeof State> = async ({ messages }) => ({
  messages: [await model.invoke([instructions, ...messages])],
});

/** The graph that `langgraph.json` names. A server adds the checkpointer, so that threads are kept. */
export const graph = new StateGraph(State)
  .addNode('model', callModel)
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'model')
  // To the tools when the model called some, to the end otherwise.
  .addConditionalEdges('model', toolsCondition, ['tools', END])
  .addEdge('tools', 'model')
  .compile();
