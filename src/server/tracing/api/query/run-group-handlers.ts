import type { runGroups } from '../../../../contract/tracing/run-queries.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { threadFilter } from './thread-filter.ts';

/** The older form of conversations. */
export function runGroupHandlers({ read }: TracingServices): Handlers<typeof runGroups> {
  return {
    group: async ({ body, caller: { workspaceId } }) => {
      const { session_id: sessionId, limit, offset } = body;
      const { threads, total } = await read('queryThreads', { workspaceId, sessionId, limit, offset });
      const groups = threads.map(({ thread_id, count, min_start_time, max_start_time }) => ({
        group_key: thread_id,
        filter: threadFilter(thread_id),
        count,
        min_start_time,
        max_start_time,
      }));
      return { groups, total };
    },
  };
}
