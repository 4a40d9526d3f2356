import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, OptionalObject, paging, SortOrder, Timestamp, Uuid, WebhookUrl } from '../fields.ts';
import { AssistantRef } from './assistants.ts';
import { Durability, MultitaskStrategy, NodeSelection, StreamMode } from './runs.ts';

export const CronField = z.enum([
  'cron_id',
  'assistant_id',
  'thread_id',
  'on_run_completed',
  'end_time',
  'schedule',
  'timezone',
  'created_at',
  'updated_at',
  'user_id',
  'payload',
  'next_run_date',
  'metadata',
  'enabled',
  /** The server's current time. */
  'now',
]);

export const Cron = z.looseObject({
  cron_id: z.string(),
  assistant_id: z.string().nullable(),
  /** Null if each run gets a new thread. */
  thread_id: z.string().nullable(),
  on_run_completed: z.enum(['delete', 'keep']).optional(),
  end_time: z.string().nullable(),
  schedule: z.string(),
  timezone: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  user_id: z.string().nullish(),
  payload: JsonObject,
  next_run_date: z.string().nullish(),
  metadata: JsonObject,
  enabled: z.boolean(),
});
export type Cron = z.output<typeof Cron>;

/** The request that starts each run of a cron. */
const runFields = {
  input: z.unknown().optional(),
  config: JsonObject.nullish(),
  context: JsonObject.nullish(),
  webhook: WebhookUrl.nullish(),
  interrupt_before: NodeSelection.nullish(),
  interrupt_after: NodeSelection.nullish(),
  stream_mode: z.union([StreamMode, z.array(StreamMode)]).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  stream_resumable: z.boolean().nullish(),
  checkpoint_during: z.boolean().nullish(),
  durability: Durability.nullish(),
  multitask_strategy: MultitaskStrategy.nullish(),
  /** Dollars that the model calls of each run may cost; Agent Harbor only. */
  max_cost: z.number().positive().nullish(),
};

const timing = {
  /** Five fields, or six with seconds first. */
  schedule: z.string().min(1).max(256),
  /** IANA name; UTC when absent. */
  timezone: z.string().min(1).max(64).nullish(),
  end_time: Timestamp.nullish(),
  enabled: z.boolean().nullish(),
  on_run_completed: z.enum(['delete', 'keep']).nullish(),
};

export const CronCreate = z.object({
  ...timing,
  ...runFields,
  assistant_id: AssistantRef,
  metadata: OptionalObject,
});
export type CronCreate = z.output<typeof CronCreate>;

export const CronPatch = z.object({
  ...timing,
  schedule: timing.schedule.nullish(),
  ...runFields,
  metadata: JsonObject.nullish(),
});
export type CronPatch = z.output<typeof CronPatch>;

const filter = {
  assistant_id: AssistantRef.nullish(),
  thread_id: Uuid.nullish(),
  enabled: z.boolean().nullish(),
  metadata: JsonObject.nullish(),
};

export const CronCount = z.object(filter);
export type CronCount = z.output<typeof CronCount>;

export const CronSearch = z.object({
  ...filter,
  ...paging(1000, 10),
  sort_by: z
    .enum(['cron_id', 'assistant_id', 'thread_id', 'next_run_date', 'end_time', 'created_at', 'updated_at'])
    .nullish(),
  sort_order: SortOrder.nullish(),
  select: z.array(CronField).nullish(),
});
export type CronSearch = z.output<typeof CronSearch>;

const cronParams = z.object({ cron_id: Uuid });

/** Runs that start on a schedule. */
export const crons = {
  createForThread: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/runs/crons',
    summary: 'Run an assistant on a thread on a schedule',
    credentials: 'deployment',
    right: 'run',
    auth: [
      { on: 'threads', action: 'read' },
      { on: 'crons', action: 'create' },
    ],
    params: z.object({ thread_id: Uuid }),
    body: CronCreate,
    responses: { 200: Cron },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/crons',
    summary: 'Run an assistant on a schedule, each time on a new thread',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'create' },
    body: CronCreate,
    responses: { 200: Cron },
  }),
  search: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/crons/search',
    summary: 'Search crons',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'search' },
    body: CronSearch,
    responses: { 200: z.array(Cron.partial()) },
  }),
  count: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/crons/count',
    summary: 'Count crons',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'search' },
    body: CronCount,
    responses: { 200: z.int() },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/runs/crons/{cron_id}',
    summary: 'Get a cron',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'read' },
    params: cronParams,
    responses: { 200: Cron },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/runs/crons/{cron_id}',
    summary: 'Update a cron; metadata is merged',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'update' },
    params: cronParams,
    body: CronPatch,
    responses: { 200: Cron },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/runs/crons/{cron_id}',
    summary: 'Delete a cron',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'crons', action: 'delete' },
    params: cronParams,
    responses: { 204: null },
  }),
};
