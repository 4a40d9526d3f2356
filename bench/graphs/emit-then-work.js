import { setTimeout as sleep } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });

/**
 * Emits the time, then works for 100 ms. `hrtime` counts from the start of the machine, so another process
 * can compute how long the event was in transit.
 */
export const graph = new StateGraph(State)
  .addNode('work', async (_state, config) => {
    config.writer({ emitted_at_ns: String(process.hrtime.bigint()) });
    await sleep(100);
    return { count: 1 };
  })
  .addEdge(START, 'work')
  .addEdge('work', END)
  .compile();
