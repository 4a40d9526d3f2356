import path from 'node:path';
import { graphProject } from '../harness/graph-project.ts';
import { whenAnswering } from '../harness/server.ts';
import type { Subject } from '../harness/subject.ts';

const script = path.resolve(import.meta.dirname, '../floors/graph.js');

/** The same graphs streamed in the process that serves them, with `MemorySaver`, behind bare `node:http`. */
export const floorGraph: Subject = {
  name: 'floor-graph',
  prepare: graphProject,
  start: async (project, { port, children }) => {
    const args = [script, String(port), project];
    const child = await children.start({ name: 'floor-graph', args, cwd: project });
    return whenAnswering(child, port);
  },
};
