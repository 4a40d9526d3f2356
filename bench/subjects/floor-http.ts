import path from 'node:path';
import { whenAnswering } from '../harness/server.ts';
import type { Subject } from '../harness/subject.ts';

const script = path.resolve(import.meta.dirname, '../floors/http.js');

/** Bare `node:http` that writes the same events without any graph. */
export const floorHttp: Subject = {
  name: 'floor-http',
  prepare: async () => path.dirname(script),
  start: async (graphProject, { port, children }) => {
    const child = await children.start({
      name: 'floor-http',
      args: [script, String(port)],
      cwd: graphProject,
    });
    return whenAnswering(child, port);
  },
};
