import type { nodes as nodeEndpoints } from '../../../contract/agent-server/nodes.ts';
import { HttpError } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { AuthorOf } from '../auth/run-author.ts';
import type { NodeRuns } from '../requests/node-runs.ts';
import { type Threads, toUpdate } from '../threads/threads.ts';

/** Handlers for running single nodes, which only Agent Harbor has. */
export function nodeHandlers(
  runs: NodeRuns,
  threads: Threads,
  authorOf: AuthorOf,
): Handlers<typeof nodeEndpoints> {
  return {
    nodeInput: ({ body }) => runs.readInput(body),
    runNode: async (call, open) => {
      const { input, ...place } = call.body;
      const stream = open();
      try {
        stream.send('result', await runs.run(place, { input, author: authorOf(call) }, stream.closed));
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        stream.send('error', { message: error.message });
      } finally {
        stream.end();
      }
    },
    keepResult: async ({ body: { thread_id, updates, ...checkpoint } }) => ({
      checkpoint: await threads.updateState(thread_id, updates.map(toUpdate), checkpoint),
    }),
    reducers: ({ params }) => runs.listReducers(params.graph_id),
  };
}
