import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, QueryInteger, QueryList, Uuid } from '../fields.ts';

const Selects = z.array(z.string()).nullish();

const RunItem = z.looseObject({ id: z.string() });

/**
 * The v2 form of run queries, which newer clients use. The names of fields to select are in upper case, and only selected
 * fields are returned.
 */
export const runQueries = {
  query: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/runs/query',
    summary: 'Search runs; returns only IDs unless more is selected',
    credentials: 'api-key',
    right: 'read',
    body: z.object({
      project_ids: z.array(Uuid).nullish(),
      reference_dataset_id: Uuid.nullish(),
      reference_examples: z.array(Uuid).nullish(),
      ids: z.array(Uuid).nullish(),
      trace_id: Uuid.nullish(),
      run_type: z.string().nullish(),
      has_error: z.boolean().nullish(),
      is_root: z.boolean().nullish(),
      filter: z.string().nullish(),
      trace_filter: z.string().nullish(),
      tree_filter: z.string().nullish(),
      min_start_time: z.string().nullish(),
      max_start_time: z.string().nullish(),
      cursor: z.string().nullish(),
      page_size: z.int().min(1).max(1000).nullish(),
      selects: Selects,
    }),
    responses: { 200: z.looseObject({ items: z.array(RunItem), next_cursor: z.string().nullish() }) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/runs/{run_id}',
    summary: 'Get a run',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ run_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      selects: QueryList.optional(),
      start_time: z.string().optional(),
    }),
    responses: { 200: RunItem },
  }),
  url: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/runs/{run_id}/url',
    summary: 'Get the URL of a run',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ run_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      trace_id: Uuid.optional(),
      start_time: z.string().optional(),
    }),
    responses: { 200: z.looseObject({ url: z.string() }) },
  }),
  traces: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/traces/query',
    summary: 'Search traces',
    credentials: 'api-key',
    right: 'read',
    body: z.object({
      project_id: Uuid.nullish(),
      trace_ids: z.array(Uuid).nullish(),
      trace_filter: z.string().nullish(),
      tree_filter: z.string().nullish(),
      min_start_time: z.string().nullish(),
      max_start_time: z.string().nullish(),
      cursor: z.string().nullish(),
      page_size: z.int().min(1).max(100).nullish(),
      selects: Selects,
    }),
    responses: {
      200: z.looseObject({
        items: z.array(z.looseObject({ root_run: RunItem, trace_aggregates: JsonObject })),
        next_cursor: z.string().nullish(),
      }),
    },
  }),
  threads: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/threads/query',
    summary: 'List the conversations of a project, newest first',
    credentials: 'api-key',
    right: 'read',
    body: z.looseObject({
      project_id: Uuid,
      page_size: z.int().min(1).max(100).nullish(),
      cursor: z.string().nullish(),
    }),
    responses: {
      200: z.looseObject({
        items: z.array(z.looseObject({ thread_id: z.string() })),
        next_cursor: z.string().nullish(),
      }),
    },
  }),
  traceRuns: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/traces/{trace_id}/runs',
    summary: 'List all runs of a trace',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ trace_id: Uuid }),
    query: z.object({
      project_id: Uuid.optional(),
      filter: z.string().optional(),
      selects: QueryList.optional(),
      min_start_time: z.string().optional(),
      max_start_time: z.string().optional(),
    }),
    responses: { 200: z.looseObject({ items: z.array(RunItem) }) },
  }),
  threadTraces: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/threads/{thread_id}/traces',
    summary: 'List the traces of a conversation, newest first',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ thread_id: z.string().min(1) }),
    query: z.object({
      project_id: Uuid,
      filter: z.string().optional(),
      selects: QueryList.optional(),
      page_size: QueryInteger.pipe(z.int().min(1).max(100)).optional(),
      cursor: z.string().optional(),
    }),
    responses: {
      200: z.looseObject({
        items: z.array(z.looseObject({ trace_id: z.string() })),
        next_cursor: z.string().nullish(),
      }),
    },
  }),
  threadStats: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/threads/{thread_id}/stats',
    summary: 'Get turns, latency, tokens and cost of a conversation',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ thread_id: z.string().min(1) }),
    query: z.object({ session_id: Uuid, filter: z.string().optional(), selects: QueryList.optional() }),
    responses: { 200: z.looseObject({ turns: z.int() }) },
  }),
};

/** Conversations in their older form. */
export const runGroups = {
  group: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/group',
    summary: 'List the conversations of a project, newest first',
    credentials: 'api-key',
    right: 'read',
    body: z.object({
      session_id: Uuid,
      group_by: z.literal('conversation', "Must be 'conversation'."),
      filter: z.null('Filters are not supported here. Use /runs/query to search runs.').optional(),
      start_time: z.null('Times are not supported here. Use /runs/query to search runs.').optional(),
      end_time: z.null('Times are not supported here. Use /runs/query to search runs.').optional(),
      limit: z.int().min(1).max(100).default(10),
      offset: z.int().min(0).default(0),
    }),
    responses: {
      200: z.looseObject({ groups: z.array(z.looseObject({ group_key: z.string() })), total: z.int() }),
    },
  }),
  preview: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/runs/threads/{thread_id}',
    summary: 'Get the messages of a conversation, as texts of JSON with an empty line between them',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ thread_id: z.string().min(1) }),
    query: z.object({
      session_id: Uuid,
      select: QueryList.pipe(
        z.array(z.literal('all_messages', "Only 'all_messages' can be selected.")),
      ).optional(),
    }),
    responses: { 200: z.object({ previews: z.object({ all_messages: z.string() }) }) },
  }),
};
