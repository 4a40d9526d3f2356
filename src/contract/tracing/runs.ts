import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { defaulted, IndexedName, JsonObject, LooseUuid, QueryBoolean, SortOrder, Uuid } from '../fields.ts';
import { Priced } from './priced.ts';

export const RunType = z.enum(['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser']);
export type RunType = z.output<typeof RunType>;

export const SpanStatus = z.enum(['pending', 'success', 'error']);
export type SpanStatus = z.output<typeof SpanStatus>;

export const TraceTier = z.enum(['longlived', 'shortlived']);
export type TraceTier = z.output<typeof TraceTier>;

/** ISO 8601, with or without an offset, or milliseconds since 1970: clients mix both in one request. */
export const RunTime = z.union([z.string().min(1), z.number()]);

/**
 * The fields of a run's main part that the server reads; others are kept as they are. `inputs`, `outputs`, `events`,
 * `error`, `extra` and `serialized` may be here too, as in single-run and batch posts.
 */
export const RunFields = z.looseObject({
  id: LooseUuid,
  name: z.string().nullish(),
  run_type: RunType.nullish(),
  start_time: RunTime.nullish(),
  end_time: RunTime.nullish(),
  status: z.string().nullish(),
  parent_run_id: LooseUuid.nullish(),
  trace_id: LooseUuid.nullish(),
  dotted_order: z.string().nullish(),
  session_name: IndexedName.min(1).nullish(),
  session_id: LooseUuid.nullish(),
  reference_example_id: LooseUuid.nullish(),
  tags: z.array(z.string()).nullish(),
  first_token_time: RunTime.nullish(),
});
export type RunFields = z.output<typeof RunFields>;

/** The optional parts of a run, which are stored separately from its fields. */
export const RunPayload = z.enum(['inputs', 'outputs', 'events', 'error', 'extra', 'serialized']);
export type RunPayload = z.output<typeof RunPayload>;

const Ingested = z.looseObject({ message: z.string() });

/** A run as it is read (docs/interface/tracing.md#runs-in-responses). */
export const RunRead = z.looseObject({
  id: z.string(),
  name: z.string(),
  run_type: z.string(),
  status: z.string(),
  trace_id: z.string(),
  dotted_order: z.string(),
  parent_run_id: z.string().nullish(),
  session_id: z.string(),
  start_time: z.string(),
  end_time: z.string().nullish(),
  inputs: JsonObject.nullish(),
  outputs: JsonObject.nullish(),
  error: z.string().nullish(),
  extra: JsonObject.nullish(),
  tags: z.array(z.string()).nullish(),
  total_tokens: z.int().nullish(),
  /** The items of a cost that the platform computed; other platforms have none. */
  price: Priced.nullish().catch(undefined),
  feedback_stats: JsonObject.nullish(),
});
export type RunRead = z.output<typeof RunRead>;

/** The body of `POST /runs/query` (docs/interface/tracing.md#queries). */
export const RunsFilter = z.object({
  id: z.array(Uuid).nullish(),
  trace: Uuid.nullish(),
  parent_run: Uuid.nullish(),
  run_type: RunType.nullish(),
  session: z.array(Uuid).nullish(),
  reference_example: z.array(Uuid).nullish(),
  execution_order: z.int().nullish(),
  start_time: RunTime.nullish(),
  end_time: RunTime.nullish(),
  error: z.boolean().nullish(),
  query: z.string().nullish(),
  filter: z.string().nullish(),
  trace_filter: z.string().nullish(),
  tree_filter: z.string().nullish(),
  search_filter: z.string().nullish(),
  is_root: z.boolean().nullish(),
});
export type RunsFilter = z.output<typeof RunsFilter>;

const MAX_RUNS = 100;

export const RunsQuery = RunsFilter.extend({
  cursor: z.string().nullish(),
  /**
   * A larger limit is reduced, because clients send the total number that they want, and follow the cursor.
   */
  limit: z
    .int()
    .min(1)
    .nullish()
    .transform((value) => Math.min(value ?? MAX_RUNS, MAX_RUNS)),
  select: z.array(z.string()).nullish(),
  order: defaulted(SortOrder, 'desc'),
  skip_pagination: z.boolean().nullish(),
});
export type RunsQuery = z.output<typeof RunsQuery>;

/** The body of `POST /runs/stats`; `interval` (an Agent Harbor extension) gives one set of numbers per interval. */
export const RunsStatsQuery = RunsFilter.extend({
  group_by: z
    .object({
      attribute: z.enum(['name', 'run_type', 'tag', 'metadata']),
      path: z.string().nullish(),
      max_groups: z.int().min(1).max(1000).default(5),
    })
    .nullish(),
  select: z.array(z.string()).nullish(),
  interval: z.enum(['minute', 'hour', 'day']).nullish(),
});
export type RunsStatsQuery = z.output<typeof RunsStatsQuery>;

export const RunStats = z.looseObject({
  run_count: z.int().nullish(),
  latency_p50: z.number().nullish(),
  latency_p99: z.number().nullish(),
  error_rate: z.number().nullish(),
  total_tokens: z.int().nullish(),
  total_cost: z.number().nullish(),
  prompt_cost: z.number().nullish(),
  completion_cost: z.number().nullish(),
  last_run_start_time: z.string().nullish(),
});
export type RunStats = z.output<typeof RunStats>;

/** A run of a trace with its children, as views show them. */
export const TraceNode = z.looseObject({
  id: z.string(),
  name: z.string(),
  run_type: z.string(),
  status: z.string(),
  start_time: z.string(),
  end_time: z.string().nullish(),
  parent_run_id: z.string().nullish(),
  total_tokens: z.int().nullish(),
  total_cost: z.union([z.number(), z.string()]).nullish(),
  tags: z.array(z.string()).readonly().nullish(),
  get child_runs() {
    return z.array(TraceNode);
  },
});
export type TraceNode = z.output<typeof TraceNode>;

export const runs = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs',
    summary: 'Create a run; trace_id, dotted_order and a missing ID are generated',
    credentials: 'api-key',
    right: 'trace',
    body: RunFields.extend({ id: LooseUuid.nullish() }),
    responses: { 202: Ingested.extend({ id: z.string() }) },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/runs/{run_id}',
    summary: 'Update a run with outputs, an end time or an error',
    credentials: 'api-key',
    right: 'trace',
    params: z.object({ run_id: LooseUuid }),
    body: RunFields.partial(),
    responses: { 202: Ingested },
  }),
  batch: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/batch',
    summary: 'Create and update runs as one JSON body',
    credentials: 'api-key',
    right: 'trace',
    // Runs are checked one by one while they are stored, so that a bad one does not affect the good ones.
    body: z.object({ post: z.array(JsonObject).nullish(), patch: z.array(JsonObject).nullish() }),
    responses: { 202: Ingested },
  }),
  multipart: endpoint({
    kind: 'multipart',
    method: 'POST',
    path: '/runs/multipart',
    summary: 'Create and update runs, with attachments and feedback',
    credentials: 'api-key',
    right: 'trace',
    parts:
      'JSON parts `post.<run_id>` and `patch.<run_id>` with the fields of a run, ' +
      '`….inputs|outputs|events|error|extra|serialized`, `feedback.<id>`, and `attachment.<run_id>.<name>` of any type',
    responses: { 202: Ingested },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/runs/{run_id}',
    summary: 'Get a run with its payloads',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ run_id: LooseUuid }),
    query: z.object({
      session_id: Uuid.optional(),
      start_time: z.string().optional(),
      exclude_s3_stored_attributes: QueryBoolean.default(false),
      exclude_serialized: QueryBoolean.default(false),
      include_messages: QueryBoolean.default(false),
    }),
    responses: { 200: RunRead },
  }),
  query: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/query',
    summary: 'Search runs',
    credentials: 'api-key',
    right: 'read',
    body: RunsQuery,
    responses: {
      200: z.looseObject({
        runs: z.array(RunRead.partial()),
        cursors: z.record(z.string(), z.string().nullable()),
        parsed_query: z.string().nullish(),
      }),
    },
  }),
  stats: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/stats',
    summary: 'Get count, latency, errors, tokens and cost of runs, optionally in groups',
    credentials: 'api-key',
    right: 'read',
    body: RunsStatsQuery,
    responses: { 200: z.union([RunStats, z.record(z.string(), RunStats)]) },
  }),
  attachment: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/runs/{run_id}/attachments/{name}',
    summary: 'Get the content of an attachment',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ run_id: LooseUuid, name: z.string() }),
    contentType: 'application/octet-stream',
  }),
  signedAttachment: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/attachments/{token}',
    summary: 'Get the content of an attachment, by the link in its run or example',
    credentials: 'presigned',
    params: z.object({ token: z.string() }),
    contentType: 'application/octet-stream',
  }),
  tree: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/traces/{trace_id}/tree',
    summary: 'Get a trace as a tree, without payloads',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ trace_id: LooseUuid }),
    responses: { 200: TraceNode },
  }),
};
