import type { runQueries } from '../../../../contract/tracing/run-queries.ts';
import { type RunsQuery, RunType } from '../../../../contract/tracing/runs.ts';
import { invalid, notFound } from '../../../http/errors.ts';
import { JsonText, jsonObject } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import { queryRuns } from '../../services/read-runs.ts';
import type { TracingServices } from '../../services/services.ts';
import { fieldsOf, toV2Runs } from './v2-form.ts';
import { DEFAULT_QUERY, requireSome, startIn, timeIn } from './v2-query.ts';

/** Handlers for runs of any trace. */
export function v2RunHandlers(
  services: TracingServices,
): Pick<Handlers<typeof runQueries>, 'query' | 'get' | 'url'> {
  const { read, baseUrl } = services;
  return {
    query: async ({ body, caller }) => {
      requireSome(body, ['project_ids', 'ids', 'trace_id', 'reference_examples']);
      const query: RunsQuery = {
        ...DEFAULT_QUERY,
        session: body.project_ids,
        id: body.ids,
        trace: body.trace_id,
        reference_example: body.reference_examples,
        run_type: runType(body.run_type),
        error: body.has_error,
        is_root: body.is_root,
        filter: body.filter,
        trace_filter: body.trace_filter,
        tree_filter: body.tree_filter,
        start_time: startIn(body, body.ids ?? body.trace_id),
        end_time: timeIn(body, 'max_start_time'),
        cursor: body.cursor,
        limit: body.page_size ?? DEFAULT_QUERY.limit,
        select: fieldsOf(body.selects),
      };
      const { runs, next } = await queryRuns(services, { workspaceId: caller.workspaceId, query });
      return jsonObject({ next_cursor: next }, { items: toV2Runs(runs) });
    },
    get: async ({ params, query, caller }) => {
      const run = await read('readRun', {
        workspaceId: caller.workspaceId,
        runId: params.run_id,
        sessionId: query.project_id,
        select: fieldsOf(query.selects),
      });
      const text = toV2Runs(`[${run}]`).slice(1, -1);
      if (!query.selects?.includes('SHARE_URL')) return new JsonText(text);
      const share = await read('readRunShare', { workspaceId: caller.workspaceId, runId: params.run_id });
      const share_url = share === null ? null : `${baseUrl()}/public/${share.share_token}/run`;
      return new JsonText(JSON.stringify({ ...JSON.parse(text), share_url }));
    },
    url: async ({ params, query, caller: { workspaceId } }) => {
      const request = { workspaceId, runId: params.run_id, sessionId: query.project_id };
      const run = JSON.parse(await read('readRun', { ...request, select: ['trace_id', 'app_path'] }));
      if (query.trace_id !== undefined && run.trace_id !== query.trace_id)
        throw notFound('Run', params.run_id);
      return { url: `${baseUrl()}${run.app_path}` };
    },
  };
}

function runType(name: string | null | undefined): RunsQuery['run_type'] {
  if (name === null || name === undefined) return undefined;
  const parsed = RunType.safeParse(name.toLowerCase());
  if (!parsed.success) throw invalid(['body', 'run_type'], `Must be one of ${RunType.options.join(', ')}.`);
  return parsed.data;
}
