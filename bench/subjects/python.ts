import { rm } from 'node:fs/promises';
import path from 'node:path';
import { interpreterIn } from '../../test/support/python-environments.ts';
import { pythonPeerProject, pythonProject } from '../harness/python-project.ts';
import { whenAnswering } from '../harness/server.ts';
import type { Subject } from '../harness/subject.ts';
import { floorHttp } from './floor-http.ts';
import { before, ours, oursTraced } from './ours.ts';

const floor = path.resolve(import.meta.dirname, '../python/floor.py');

const python = (project: string) => interpreterIn(path.join(project, '.venv'));

/** The same graphs streamed in the Python process that serves them, with `InMemorySaver`, behind bare asyncio. */
const floorGraph: Subject = {
  name: 'floor-graph',
  prepare: pythonProject,
  start: async (project, { port, children }) => {
    const command = {
      name: 'floor-graph',
      file: python(project),
      args: [floor, String(port), project],
      cwd: project,
    };
    return whenAnswering(await children.start(command), port);
  },
};

/** The dev server of PyPI's `langgraph-cli[inmem]`, as `langgraph dev` starts it. */
const peer: Subject = {
  name: 'peer',
  prepare: pythonPeerProject,
  start: async (project, { port, children }) => {
    const state = path.join(project, '.langgraph_api');
    await rm(state, { recursive: true, force: true });
    const child = await children.start({
      name: 'peer',
      file: python(project),
      args: ['-m', 'langgraph_cli', 'dev', '--host', '127.0.0.1', '--port', String(port), '--no-browser'],
      cwd: project,
      // It would otherwise try to report its use over the network.
      env: { LANGGRAPH_CLI_NO_ANALYTICS: '1' },
      leaves: [state],
    });
    return whenAnswering(child, port);
  },
};

/** Servers of Python graphs, in the roles that the measurements know. */
export function pythonSubjects(checkout?: string): Subject[] {
  const own = [ours, oursTraced, ...(checkout === undefined ? [] : [before(checkout)])];
  return [...own.map((subject) => ({ ...subject, prepare: pythonProject })), peer, floorGraph, floorHttp];
}
