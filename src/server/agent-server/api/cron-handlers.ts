import type { crons as cronEndpoints } from '../../../contract/agent-server/crons.ts';
import type { Handlers } from '../../http/router.ts';
import type { AuthorOf } from '../auth/run-author.ts';
import type { Crons } from '../crons/crons.ts';

/**
 * Handlers for crons (docs/interface/agent-server.md#crons). A cron belongs to the user who created it. The
 * handlers throw 404 for an unknown cron, assistant or thread, and 422 for an invalid schedule, time zone or
 * end.
 */
export function cronHandlers(crons: Crons, authorOf: AuthorOf): Handlers<typeof cronEndpoints> {
  return {
    createForThread: (call) => crons.create(call.params.thread_id, call.body, authorOf(call)),
    create: (call) => crons.create(null, call.body, authorOf(call)),
    search: ({ body }) => crons.search(body),
    count: ({ body }) => crons.count(body),
    get: ({ params }) => crons.get(params.cron_id),
    update: (call) => crons.update(call.params.cron_id, call.body, authorOf(call)),
    delete: async ({ params }) => {
      await crons.delete(params.cron_id);
      return undefined;
    },
  };
}
