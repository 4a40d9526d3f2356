import type { runGroups, runQueries } from '../../../contract/tracing/run-queries.ts';
import { type RunsQuery, RunType } from '../../../contract/tracing/runs.ts';
import { invalid, notFound } from '../../http/errors.ts';
import { JsonText, jsonObject } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { TracingServices } from '../services.ts';
import { parseTime } from '../time.ts';
import { queryRuns, runStats } from './read-runs.ts';
import { fieldsOf, inV2Form, translated } from './v2-form.ts';

const DAY_MS = 86_400_000;

const NOTHING_ASKED: RunsQuery = { limit: 100, order: 'desc' };

/**
 * Runs in the second public form, `/api/v2/runs/…` (docs/interface/tracing.md#queries): of the last day unless ids or
 * times are given.
 */
export function runQueriesHandlers(services: TracingServices): Handlers<typeof runQueries> {
  const { read, baseUrl } = services;
  return {
    query: async ({ body, caller }) => {
      requireSome(body, ['project_ids', 'ids', 'trace_id', 'reference_examples']);
      const query: RunsQuery = {
        ...NOTHING_ASKED,
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
        start_time: time(body, 'min_start_time') ?? (body.ids || body.trace_id ? undefined : dayAgo()),
        end_time: time(body, 'max_start_time'),
        cursor: body.cursor,
        limit: body.page_size ?? 100,
        select: fieldsOf(body.selects),
      };
      const { runs, next } = await queryRuns(services, { workspaceId: caller.workspaceId, query });
      return jsonObject({ next_cursor: next }, { items: inV2Form(runs) });
    },
    get: async ({ params, query, caller }) => {
      const run = await read('readRun', {
        workspaceId: caller.workspaceId,
        runId: params.run_id,
        sessionId: query.project_id,
        select: fieldsOf(query.selects),
      });
      const text = inV2Form(`[${run}]`).slice(1, -1);
      if (!query.selects?.includes('SHARE_URL')) return new JsonText(text);
      const share = await read('readRunShare', { workspaceId: caller.workspaceId, runId: params.run_id });
      const share_url = share === null ? null : `${baseUrl()}/public/${share.share_token}/run`;
      return new JsonText(JSON.stringify({ ...JSON.parse(text), share_url }));
    },
    url: async ({ params, query, caller: { workspaceId } }) => {
      const asked = { workspaceId, runId: params.run_id, sessionId: query.project_id };
      const run = JSON.parse(await read('readRun', { ...asked, select: ['trace_id', 'app_path'] }));
      if (query.trace_id !== undefined && run.trace_id !== query.trace_id)
        throw notFound('Run', params.run_id);
      return { url: `${baseUrl()}${run.app_path}` };
    },
    traces: async ({ body, caller }) => {
      requireSome(body, ['project_id', 'trace_ids']);
      const query: RunsQuery = {
        ...NOTHING_ASKED,
        session: body.project_id ? [body.project_id] : undefined,
        id: body.trace_ids,
        is_root: true,
        trace_filter: body.trace_filter,
        tree_filter: body.tree_filter,
        start_time: time(body, 'min_start_time') ?? (body.trace_ids ? undefined : dayAgo()),
        end_time: time(body, 'max_start_time'),
        cursor: body.cursor,
        limit: body.page_size ?? 20,
        select: [...fieldsOf(body.selects), 'total_tokens', 'total_cost', 'first_token_time'],
      };
      const { runs, next } = await queryRuns(services, { workspaceId: caller.workspaceId, query });
      const items = parseStored<Record<string, unknown>[]>(runs).map((run) => ({
        root_run: translated(run),
        trace_aggregates: {
          first_token_time: run.first_token_time ?? null,
          total_cost: Number(run.total_cost ?? 0),
          total_tokens: run.total_tokens ?? 0,
        },
      }));
      return new JsonText(JSON.stringify({ items, next_cursor: next }));
    },
    threads: async ({ body, caller }) => {
      const offset = body.cursor ? Number(Buffer.from(body.cursor, 'base64url').toString()) : 0;
      if (!Number.isSafeInteger(offset) || offset < 0) {
        throw invalid(['body', 'cursor'], 'Use the cursor returned with the previous page.');
      }
      const limit = body.page_size ?? 20;
      const { threads: found } = await read('queryThreads', {
        workspaceId: caller.workspaceId,
        sessionId: body.project_id,
        limit: limit + 1,
        offset,
      });
      return {
        items: found.slice(0, limit).map((thread) => ({ ...thread })),
        next_cursor: found.length > limit ? Buffer.from(String(offset + limit)).toString('base64url') : null,
      };
    },
    traceRuns: async ({ params, query, caller: { workspaceId } }) => {
      const { runs } = await queryRuns(services, {
        workspaceId,
        query: {
          ...NOTHING_ASKED,
          order: 'asc',
          trace: params.trace_id,
          session: query.project_id === undefined ? undefined : [query.project_id],
          filter: query.filter,
          start_time: time(query, 'min_start_time', 'query'),
          end_time: time(query, 'max_start_time', 'query'),
          select: fieldsOf(query.selects),
        },
      });
      if (runs === '[]') throw notFound('Trace', params.trace_id);
      return jsonObject({}, { items: inV2Form(runs) });
    },
    threadTraces: async ({ params, query, caller: { workspaceId } }) => {
      const { runs, next } = await queryRuns(services, {
        workspaceId,
        query: {
          ...NOTHING_ASKED,
          session: [query.project_id],
          is_root: true,
          filter: threadFilter(params.thread_id, query.filter),
          cursor: query.cursor,
          limit: query.page_size ?? 20,
          select: [...fieldsOf(query.selects), 'trace_id'],
        },
      });
      const items = parseStored<Record<string, unknown>[]>(runs).map(translated);
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

/** Without any of these a query would read all runs. @throws HttpError 422 */
function requireSome<Field extends string>(
  body: Readonly<Partial<Record<Field, unknown>>>,
  fields: readonly Field[],
): void {
  const isSaid = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
  if (fields.some((field) => isSaid(body[field]))) return;
  throw invalid(['body'], `At least one of ${fields.join(', ')} is required.`, 'missing');
}

function runType(name: string | null | undefined): RunsQuery['run_type'] {
  if (name === null || name === undefined) return undefined;
  const parsed = RunType.safeParse(name.toLowerCase());
  if (!parsed.success) throw invalid(['body', 'run_type'], `Must be one of ${RunType.options.join(', ')}.`);
  return parsed.data;
}

/** A time by the name it has here: what is asked below calls it otherwise. @throws HttpError 422 */
function time<Field extends string>(
  given: Readonly<Partial<Record<Field, string | null | undefined>>>,
  field: Field,
  place = 'body',
): string | undefined {
  const value = given[field] ?? undefined;
  if (value !== undefined && parseTime(value) === undefined)
    throw invalid([place, field], 'Must be a time in ISO 8601.', 'datetime');
  return value;
}

function dayAgo(): string {
  return new Date(Date.now() - DAY_MS).toISOString();
}

function ofThread(threadId: string): string {
  return `eq(thread_id, ${JSON.stringify(threadId)})`;
}

function threadFilter(threadId: string, filter: string | undefined): string {
  return filter === undefined ? ofThread(threadId) : `and(${ofThread(threadId)}, ${filter})`;
}

/** The older form of conversations. */
export function runGroupsHandlers({ read }: TracingServices): Handlers<typeof runGroups> {
  return {
    group: async ({ body, caller: { workspaceId } }) => {
      const { session_id: sessionId, limit, offset } = body;
      const { threads, total } = await read('queryThreads', { workspaceId, sessionId, limit, offset });
      const groups = threads.map(({ thread_id, count, min_start_time, max_start_time }) => ({
        group_key: thread_id,
        filter: ofThread(thread_id),
        count,
        min_start_time,
        max_start_time,
      }));
      return { groups, total };
    },
  };
}
