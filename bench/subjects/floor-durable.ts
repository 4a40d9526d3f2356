import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { graphProject } from '../harness/graph-project.ts';
import { whenAnswering } from '../harness/server.ts';
import type { Subject } from '../harness/subject.ts';

const script = path.resolve(import.meta.dirname, '../floors/durable.js');

/**
 * The same graphs in a separate process behind bare `node:http`; everything about a run is in SQLite before it is sent.
 */
export const floorDurable: Subject = {
  name: 'floor-durable',
  prepare: graphProject,
  start: async (project, { port, children }) => {
    const data = await mkdtemp(path.join(tmpdir(), 'bench-data-'));
    const args = [script, String(port), project, data];
    const child = await children.start({ name: 'floor-durable', args, cwd: project, leaves: [data] });
    return whenAnswering(child, port);
  },
};
