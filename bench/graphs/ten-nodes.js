import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ count: Annotation() });
const names = Array.from({ length: 10 }, (_, index) => `step_${index + 1}`);

const builder = new StateGraph(State);
for (const name of names) builder.addNode(name, ({ count }) => ({ count: count + 1 }));
for (const [index, name] of names.entries()) builder.addEdge(names[index - 1] ?? START, name);

/** Ten supersteps in a row, so ten checkpoints that a durable server has to keep. */
export const graph = builder.addEdge('step_10', END).compile();
