import type { crons as cronEndpoints } from '../../../contract/agent-server/crons.ts';
import type { Handlers } from '../../http/router.ts';
import type { Crons } from '../crons/crons.ts';

export function cronHandlers(crons: Crons): Handlers<typeof cronEndpoints> {
  return {
    createForThread: ({ params, body }) => crons.create(params.thread_id, body),
    create: ({ body }) => crons.create(null, body),
    search: ({ body }) => crons.search(body),
    count: ({ body }) => crons.count(body),
    get: ({ params }) => crons.get(params.cron_id),
    update: ({ params, body }) => crons.update(params.cron_id, body),
    delete: async ({ params }) => {
      await crons.delete(params.cron_id);
      return undefined;
    },
  };
}
