import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });

/** One node that writes 1,000 custom events without ever yielding to the event loop. */
export const graph = new StateGraph(State)
  .addNode('emit', (_state, config) => {
    for (let index = 0; index < 1_000; index++) config.writer({ index, text: 'A short line of progress.' });
    return { count: 1_000 };
  })
  .addEdge(START, 'emit')
  .addEdge('emit', END)
  .compile();
