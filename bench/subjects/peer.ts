import { rm } from 'node:fs/promises';
import path from 'node:path';
import { peerProject } from '../harness/graph-project.ts';
import { whenAnswering } from '../harness/server.ts';
import type { Subject } from '../harness/subject.ts';

const command = path.join('node_modules', '@langchain', 'langgraph-cli', 'dist', 'cli', 'cli.mjs');

/** The dev server of npm's `@langchain/langgraph-cli`, as `langgraphjs dev` starts it. */
export const peer: Subject = {
  name: 'peer',
  prepare: async () => {
    try {
      return await peerProject();
    } catch (error) {
      const reason =
        error instanceof Error ? error.message.replace(/\s+/g, ' ').slice(0, 300) : String(error);
      throw new Error(`@langchain/langgraph-cli could not be installed: ${reason}`);
    }
  },
  start: async (project, { port, children }) => {
    const state = path.join(project, '.langgraph_api');
    await rm(state, { recursive: true, force: true });
    const child = await children.start({
      name: 'peer',
      args: [command, 'dev', '--host', '127.0.0.1', '--port', String(port), '--no-browser'],
      cwd: project,
      // It would otherwise try to report its use over the network.
      env: { LANGGRAPH_CLI_NO_ANALYTICS: '1' },
      leaves: [state],
    });
    return whenAnswering(child, port);
  },
};
