import type { runQueries } from '../../../../contract/tracing/run-queries.ts';
import { notFound } from '../../../http/errors.ts';
import { JsonText } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import { queryRuns, runStats } from '../../services/read-runs.ts';
import type { TracingServices } from '../../services/services.ts';
import { readOffset, writeOffset } from './offset-cursor.ts';
import { threadFilter } from './thread-filter.ts';
import { fieldsOf, toV2Run } from './v2-form.ts';
import { DEFAULT_PAGE_SIZE, DEFAULT_QUERY } from './v2-query.ts';

/** Handlers for conversations: the traces with the same thread ID. */
export function v2ThreadHandlers(
  services: TracingServices,
): Pick<Handlers<typeof runQueries>, 'threads' | 'threadTraces' | 'threadStats'> {
  const { read } = services;
  return {
    threads: async ({ body, caller }) => {
      const offset = readOffset(body.cursor);
      const limit = body.page_size ?? DEFAULT_PAGE_SIZE;
      const { threads: found } = await read('queryThreads', {
        workspaceId: caller.workspaceId,
        sessionId: body.project_id,
        limit: limit + 1,
        offset,
      });
      return {
        // The contract's type has an index signature, which interfaces lack and copies have.
        items: found.slice(0, limit).map((thread) => ({ ...thread })),
        next_cursor: found.length > limit ? writeOffset(offset + limit) : null,
      };
    },
    threadTraces: async ({ params, query, caller: { workspaceId } }) => {
      const { runs, next } = await queryRuns(services, {
        workspaceId,
        query: {
          ...DEFAULT_QUERY,
          session: [query.project_id],
          is_root: true,
          filter: threadFilter(params.thread_id, query.filter),
          cursor: query.cursor,
          limit: query.page_size ?? DEFAULT_PAGE_SIZE,
          select: [...fieldsOf(query.selects), 'trace_id'],
        },
      });
      const items = parseStored<Record<string, unknown>[]>(runs).map(toV2Run);
      return new JsonText(JSON.stringify({ items, next_cursor: next }));
    },
    threadStats: async ({ params, query, caller: { workspaceId } }) => {
      const { '': stats } = await runStats(services, {
        workspaceId,
        query: {
          session: [query.session_id],
          is_root: true,
          filter: threadFilter(params.thread_id, query.filter),
        },
      });
      if (!stats?.run_count) throw notFound('Thread', params.thread_id);
      return {
        turns: stats.run_count,
        last_start_time: stats.last_run_start_time,
        latency_p50_seconds: stats.latency_p50,
        latency_p99_seconds: stats.latency_p99,
        total_tokens: stats.total_tokens,
        prompt_tokens: stats.prompt_tokens,
        completion_tokens: stats.completion_tokens,
        total_cost: Number(stats.total_cost ?? 0),
        feedback_stats: stats.feedback_stats,
      };
    },
  };
}
