/**
 * TypeScript code of graphs for measurements of memory, with runs of every kind; it needs a fake model in
 * `./fake-model.ts`, and can be added to. `graph(state, node)` makes one more, `collect()` collects garbage.
 */
export const MEMORY_GRAPHS = `
import { Annotation, interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import vm from 'node:vm';
import { FakeModel } from './fake-model.ts';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
const State = Annotation.Root({ value: Annotation() });
const model = new FakeModel({});
const graph = (state, node) => new StateGraph(state).addNode('node', node).addEdge('__start__', 'node').compile();

export const plain = graph(State, () => ({ value: 1 }));
export const tokens = graph(MessagesAnnotation, async ({ messages }) => ({ messages: [await model.invoke(messages)] }));
export const waits = graph(State, async (_state, { signal }) => {
  await sleep(60_000, undefined, { signal });
  return {};
});
export const asks = graph(State, () => ({ value: interrupt('What?') }));
`;
