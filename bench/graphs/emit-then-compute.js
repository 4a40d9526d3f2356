import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });

/** Like `emit-then-work.js`, but its work never yields to the event loop. */
export const graph = new StateGraph(State)
  .addNode('compute', (_state, config) => {
    const emittedAt = process.hrtime.bigint();
    config.writer({ emitted_at_ns: String(emittedAt) });
    while (process.hrtime.bigint() - emittedAt < 100_000_000n);
    return { count: 1 };
  })
  .addEdge(START, 'compute')
  .addEdge('compute', END)
  .compile();
