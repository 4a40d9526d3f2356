import type { runQueries } from '../../../../contract/tracing/run-queries.ts';
import type { RunsQuery } from '../../../../contract/tracing/runs.ts';
import { notFound } from '../../../http/errors.ts';
import { JsonText, jsonObject } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import { parseStored } from '../../../storage/stored-json.ts';
import { queryRuns } from '../../services/read-runs.ts';
import type { TracingServices } from '../../services/services.ts';
import { fieldsOf, toV2Run, toV2Runs } from './v2-form.ts';
import { DEFAULT_PAGE_SIZE, DEFAULT_QUERY, requireSome, startIn, timeIn } from './v2-query.ts';

/** Handlers for root runs with the sums of their traces, and for the runs of one trace. */
export function v2TraceHandlers(
  services: TracingServices,
): Pick<Handlers<typeof runQueries>, 'traces' | 'traceRuns'> {
  return {
    traces: async ({ body, caller }) => {
      requireSome(body, ['project_id', 'trace_ids']);
      const query: RunsQuery = {
        ...DEFAULT_QUERY,
        session: body.project_id ? [body.project_id] : undefined,
        id: body.trace_ids,
        is_root: true,
        trace_filter: body.trace_filter,
        tree_filter: body.tree_filter,
        start_time: startIn(body, body.trace_ids),
        end_time: timeIn(body, 'max_start_time'),
        cursor: body.cursor,
        limit: body.page_size ?? DEFAULT_PAGE_SIZE,
        select: [...fieldsOf(body.selects), 'total_tokens', 'total_cost', 'first_token_time'],
      };
      const { runs, next } = await queryRuns(services, { workspaceId: caller.workspaceId, query });
      const items = parseStored<Record<string, unknown>[]>(runs).map((run) => ({
        root_run: toV2Run(run),
        trace_aggregates: {
          first_token_time: run.first_token_time ?? null,
          total_cost: Number(run.total_cost ?? 0),
          total_tokens: run.total_tokens ?? 0,
        },
      }));
      return new JsonText(JSON.stringify({ items, next_cursor: next }));
    },
    traceRuns: async ({ params, query, caller: { workspaceId } }) => {
      const { runs } = await queryRuns(services, {
        workspaceId,
        query: {
          ...DEFAULT_QUERY,
          order: 'asc',
          trace: params.trace_id,
          session: query.project_id === undefined ? undefined : [query.project_id],
          filter: query.filter,
          start_time: timeIn(query, 'min_start_time', 'query'),
          end_time: timeIn(query, 'max_start_time', 'query'),
          select: fieldsOf(query.selects),
        },
      });
      if (runs === '[]') throw notFound('Trace', params.trace_id);
      return jsonObject({}, { items: toV2Runs(runs) });
    },
  };
}
