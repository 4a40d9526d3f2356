import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });

/** The smallest possible run, so that nearly all of its cost is the server's. */
export const graph = new StateGraph(State)
  .addNode('increment', ({ count }) => ({ count: count + 1 }))
  .addEdge(START, 'increment')
  .addEdge('increment', END)
  .compile();
