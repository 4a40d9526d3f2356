import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import {
  IndexedName,
  JsonObject,
  QueryBoolean,
  QueryJsonObject,
  QueryList,
  queryPaging,
  Uuid,
} from '../fields.ts';
import { RunTime, TraceTier } from './runs.ts';

/** A project, which groups traces. The public interface calls it a (tracer) session. */
export const Session = z.looseObject({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  description: z.string().nullish(),
  start_time: z.string(),
  end_time: z.string().nullish(),
  extra: JsonObject.nullish(),
  default_dataset_id: z.string().nullish(),
  reference_dataset_id: z.string().nullish(),
  trace_tier: TraceTier.nullish(),
  last_run_start_time: z.string().nullish(),
});
export type Session = z.output<typeof Session>;

export const SessionCreate = z.object({
  id: Uuid.nullish(),
  name: IndexedName.min(1, 'Must have a name.'),
  description: z.string().nullish(),
  start_time: RunTime.nullish(),
  end_time: RunTime.nullish(),
  extra: JsonObject.nullish(),
  default_dataset_id: Uuid.nullish(),
  reference_dataset_id: Uuid.nullish(),
  trace_tier: TraceTier.nullish(),
});
export type SessionCreate = z.output<typeof SessionCreate>;

export const SessionUpdate = z.object({
  name: IndexedName.min(1).nullish(),
  description: z.string().nullish(),
  end_time: RunTime.nullish(),
  extra: JsonObject.nullish(),
  default_dataset_id: Uuid.nullish(),
  trace_tier: TraceTier.nullish(),
});
export type SessionUpdate = z.output<typeof SessionUpdate>;

export const SessionsQuery = z.object({
  ...queryPaging(100, 100),
  id: QueryList.optional(),
  name: z.string().optional(),
  name_contains: z.string().optional(),
  reference_free: QueryBoolean.optional(),
  reference_dataset: QueryList.optional(),
  dataset_version: z.string().optional(),
  metadata: QueryJsonObject.optional(),
  filter: z.string().optional(),
  sort_by: z
    .enum(
      ['name', 'start_time', 'last_run_start_time'],
      'Must be name, start_time or last_run_start_time. Sorting by statistics is not supported.',
    )
    .default('start_time'),
  sort_by_desc: QueryBoolean.default(true),
  include_stats: QueryBoolean.default(false),
  stats_start_time: z.string().optional(),
});
export type SessionsQuery = z.output<typeof SessionsQuery>;

const params = z.object({ session_id: Uuid });

export const sessions = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/sessions',
    summary: 'Create a project',
    credentials: 'api-key',
    right: 'write',
    query: z.object({ upsert: QueryBoolean.default(false) }),
    body: SessionCreate,
    responses: { 200: Session },
  }),
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/sessions',
    summary: 'List projects',
    credentials: 'api-key',
    right: 'read',
    query: SessionsQuery,
    responses: { 200: z.array(Session) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/sessions/{session_id}',
    summary: 'Get a project, optionally with statistics',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({
      include_stats: QueryBoolean.default(false),
      stats_start_time: z.string().optional(),
    }),
    responses: { 200: Session },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/sessions/{session_id}',
    summary: 'Update a project, or set the retention of its new traces',
    credentials: 'api-key',
    right: 'write',
    params,
    body: SessionUpdate,
    responses: { 200: Session },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/sessions/{session_id}',
    summary: 'Delete a project and everything in it',
    credentials: 'api-key',
    right: 'write',
    params,
    responses: { 202: z.looseObject({ message: z.string() }) },
  }),
  deleteMany: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/sessions',
    summary: 'Delete projects and everything in them',
    credentials: 'api-key',
    right: 'write',
    query: z.object({ session_ids: QueryList }),
    responses: { 202: z.looseObject({ message: z.string() }) },
  }),
};
