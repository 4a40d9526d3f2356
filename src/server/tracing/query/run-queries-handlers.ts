import type { runQueries } from '../../../contract/tracing/run-queries.ts';
import { type RunsQuery, RunType } from '../../../contract/tracing/runs.ts';
import { invalid } from '../../http/errors.ts';
import { JsonText, jsonObject } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';
import { fieldsOf, inSecondForm, translated } from './second-form.ts';

const DAY_MS = 86_400_000;

const NOTHING_ASKED: RunsQuery = { limit: 100, order: 'desc' };

export function runQueriesHandlers({ read }: TracingServices): Handlers<typeof runQueries> {
  return {
    query: async ({ body, caller }) => {
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
        start_time: body.min_start_time ?? (body.ids || body.trace_id ? undefined : dayAgo()),
        end_time: body.max_start_time,
        cursor: body.cursor,
        limit: body.page_size ?? 100,
        select: fieldsOf(body.selects),
      };
      const { runs, next } = await read('queryRuns', { workspaceId: caller.workspaceId, query });
      return jsonObject({ next_cursor: next }, { items: inSecondForm(runs) });
    },
    get: async ({ params, query, caller }) => {
      const run = await read('readRun', {
        workspaceId: caller.workspaceId,
        runId: params.run_id,
        select: fieldsOf(query.selects) ?? ['id'],
      });
      return new JsonText(inSecondForm(`[${run}]`).slice(1, -1));
    },
    traces: async ({ body, caller }) => {
      const query: RunsQuery = {
        ...NOTHING_ASKED,
        session: body.project_id ? [body.project_id] : undefined,
        id: body.trace_ids,
        is_root: true,
        trace_filter: body.trace_filter,
        tree_filter: body.tree_filter,
        start_time: body.min_start_time ?? (body.trace_ids ? undefined : dayAgo()),
        end_time: body.max_start_time,
        cursor: body.cursor,
        limit: body.page_size ?? 20,
        select: [...fieldsOf(body.selects), 'total_tokens', 'total_cost', 'first_token_time'],
      };
      const { runs, next } = await read('queryRuns', { workspaceId: caller.workspaceId, query });
      const items = (JSON.parse(runs) as Record<string, unknown>[]).map((run) => ({
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
        throw invalid(['body', 'cursor'], 'Use the cursor that the page before came with.');
      }
      const limit = body.page_size ?? 20;
      const found = await read('queryThreads', {
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
  };
}

function runType(name: string | null | undefined): RunsQuery['run_type'] {
  if (name === null || name === undefined) return undefined;
  const parsed = RunType.safeParse(name.toLowerCase());
  if (!parsed.success) throw invalid(['body', 'run_type'], `Must be one of ${RunType.options.join(', ')}.`);
  return parsed.data;
}

function dayAgo(): string {
  return new Date(Date.now() - DAY_MS).toISOString();
}
