import { setImmediate } from 'node:timers/promises';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({
  steps: Annotation(),
  events: Annotation(),
  chars: Annotation(),
  payload: Annotation(),
});

/**
 * Writes the requested number of custom events, then a state with the requested number of characters, in the
 * requested number of steps: see `bench/growth`.
 */
export const graph = new StateGraph(State)
  .addNode('grow', async ({ steps = 1, events = 0, chars = 0 }, config) => {
    for (let index = 0; index < events; index++) {
      config.writer({ index, text: 'A short line of progress.' });
      if (index % 100 === 99) await setImmediate();
    }
    return { steps: steps - 1, events: 0, ...(chars > 0 && { payload: 'x'.repeat(chars), chars: 0 }) };
  })
  .addEdge(START, 'grow')
  .addConditionalEdges('grow', ({ steps }) => (steps > 0 ? 'grow' : END))
  .compile();
