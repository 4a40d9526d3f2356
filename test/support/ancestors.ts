/**
 * A graph whose only node returns everything that it can read from its parent processes: their arguments and
 * initial environments.
 */
export const ANCESTORS_GRAPH = `
import { readFileSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ value: Annotation() });
const read = (pid, name) => {
  try { return readFileSync('/proc/' + pid + '/' + name, 'utf8').replaceAll('\\0', '\\n'); } catch (error) { return String(error); }
};
const above = () => {
  const said = [];
  for (let pid = process.ppid; pid > 0; pid = Number(/^PPid:\\s*(\\d+)/m.exec(read(pid, 'status'))?.[1] ?? 0)) {
    const args = read(pid, 'cmdline');
    if (!/server\\.js|cli\\.js/.test(args)) break;
    said.push(args, read(pid, 'environ'), read(pid, 'fd/0'));
  }
  return [...said, JSON.stringify(process.env)].join('\\n');
};
export const graph = new StateGraph(State)
  .addNode('node', () => ({ value: above() }))
  .addEdge('__start__', 'node').compile();
`;
