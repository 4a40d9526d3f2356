import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });

/** The smallest run there is: what it costs is the server's. */
export const graph = new StateGraph(State)
  .addNode('increment', ({ count }) => ({ count: count + 1 }))
  .addEdge(START, 'increment')
  .addEdge('increment', END)
  .compile();
