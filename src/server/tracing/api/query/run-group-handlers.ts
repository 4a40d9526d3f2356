import type { runGroups } from '../../../../contract/tracing/run-queries.ts';
import { notFound } from '../../../http/errors.ts';
import type { Handlers } from '../../../http/router.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import { addTurn, type ChatMessage, chatOfRun } from '../../runs/chat-messages.ts';
import { queryRuns } from '../../services/read-runs.ts';
import type { TracingServices } from '../../services/services.ts';
import { threadFilter } from './thread-filter.ts';
import { DEFAULT_QUERY } from './v2-query.ts';

/** Handlers of the older endpoints for conversations, which call them groups of runs. */
export function runGroupHandlers(services: TracingServices): Handlers<typeof runGroups> {
  const { read } = services;
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
    preview: async ({ params, query, caller: { workspaceId } }) => {
      let messages: ChatMessage[] = [];
      let turns = 0;
      let cursor: string | null = null;
      do {
        const page = await queryRuns(services, {
          workspaceId,
          query: {
            ...DEFAULT_QUERY,
            order: 'asc',
            session: [query.session_id],
            is_root: true,
            filter: threadFilter(params.thread_id),
            cursor,
            select: ['inputs', 'outputs'],
          },
        });
        const roots = parseStored<{ inputs?: unknown; outputs?: unknown }[]>(page.runs);
        for (const root of roots) messages = addTurn(messages, chatOfRun(root));
        turns += roots.length;
        cursor = page.next;
      } while (cursor !== null);
      if (turns === 0) throw notFound('Thread', params.thread_id);
      return { previews: { all_messages: messages.map((message) => JSON.stringify(message)).join('\n\n') } };
    },
  };
}
