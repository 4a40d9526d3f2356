import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { JsonObject, QueryBoolean, queryPaging, Uuid } from './fields.ts';
import { TraceTier } from './tracing/runs.ts';

/** The maximum number of traces in a request (docs/interface/purging.md#deleting-traces). */
export const MAX_TRACE_IDS = 1000;

const Scalar = z.union([z.string(), z.number(), z.boolean()]);

const TraceIds = z
  .array(Uuid)
  .max(MAX_TRACE_IDS, `At most ${MAX_TRACE_IDS} traces per request. Send the others in further requests.`);

/** Strict, because a purge that ignored a misspelled filter would delete more. */
export const PurgeRequest = z.strictObject({
  session_id: Uuid.nullish(),
  trace_ids: TraceIds.nullish(),
  /** A trace is deleted if any of its runs has any one of these pairs. */
  metadata: z.record(z.string(), Scalar).nullish(),
  /** Only traces that began before this time; without another filter, all of them (an Agent Harbor extension). */
  before: z.string().nullish(),
  /** Only traces that began at this time or later. */
  start_time: z.string().nullish(),
  /** Whether examples with this metadata are also removed, from all versions. */
  delete_examples: z.boolean().nullish(),
  /** Returns what would be deleted, and deletes nothing (an Agent Harbor extension). */
  dry_run: z.boolean().nullish(),
});
export type PurgeRequest = z.output<typeof PurgeRequest>;

export const PurgeCounts = z.looseObject({
  traces: z.int(),
  runs: z.int(),
  feedback: z.int(),
  attachments: z.int(),
  /** The size of payloads and attachments, as they are stored. */
  bytes: z.int().optional(),
  /** Examples with this metadata, when these are deleted as well. */
  examples: z.int().optional(),
});
export type PurgeCounts = z.output<typeof PurgeCounts>;

/** One of the traces that would be deleted. */
export const PurgeSample = z.looseObject({
  trace_id: z.string(),
  session_id: z.string(),
  name: z.string(),
  start_time: z.string(),
});
export type PurgeSample = z.output<typeof PurgeSample>;

export const PurgeJob = z.looseObject({
  id: z.string(),
  kind: z.enum(['traces', 'metadata', 'before', 'project', 'workspace', 'expiry', 'examples', 'dataset']),
  filter: JsonObject,
  status: z.enum(['pending', 'running', 'verified', 'failed']),
  /** Traces (or examples) that matched the filter, have been deleted, and are still to be deleted. */
  matched: z.int(),
  deleted: z.int(),
  remaining: z.int(),
  matched_runs: z.int(),
  deleted_runs: z.int(),
  requested_by: z.string().nullable(),
  created_at: z.string(),
  not_before: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  error: z.string().nullable(),
});
export type PurgeJob = z.output<typeof PurgeJob>;

const Queued = z.looseObject({
  message: z.string(),
  job_id: z.string().optional(),
  dry_run: z.boolean().optional(),
  would_delete: PurgeCounts.optional(),
  /** For a dry run: the newest of the traces that would be deleted. */
  samples: z.array(PurgeSample).optional(),
  /**
   * For a dry run: the threads that the traces belong to, which a purge keeps (an Agent Harbor extension).
   */
  thread_ids: z.array(z.string()).max(MAX_TRACE_IDS).optional(),
});

export const AuditEntry = z.looseObject({
  id: z.int(),
  at: z.string(),
  job_id: z.string(),
  event: z.enum(['requested', 'verified', 'failed']),
  by: z.string().nullable(),
  filter: JsonObject,
  counts: JsonObject,
});
export type AuditEntry = z.output<typeof AuditEntry>;

/** The purge schedule: purges start when requested, or at the next time in the schedule. */
export const PurgeSettings = z.looseObject({
  schedule: z.string().nullable(),
  timezone: z.string(),
});

export const TtlSettings = z.looseObject({
  id: z.string(),
  organization_id: z.string(),
  tenant_id: z.string().nullish(),
  default_trace_tier: TraceTier,
  apply_to_all_projects: z.boolean(),
  configured_by: z.enum(['system', 'user']),
  longlived_ttl_days: z.int(),
  shortlived_ttl_days: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type TtlSettings = z.output<typeof TtlSettings>;

const Days = z.int().min(1).max(36_500);

/**
 * Both public forms: a tier, or `{resource_type: "run", ttl_days}` as in the guide. Strict, because a
 * request with a misspelled field would seem to succeed.
 */
export const TtlSettingsUpdate = z.strictObject({
  default_trace_tier: TraceTier.nullish(),
  tenant_id: Uuid.nullish(),
  apply_to_all_projects: z.boolean().nullish(),
  longlived_ttl_days: Days.nullish(),
  shortlived_ttl_days: Days.nullish(),
  resource_type: z.literal('run').nullish(),
  ttl_days: Days.nullish(),
});
export type TtlSettingsUpdate = z.output<typeof TtlSettingsUpdate>;

const WorkspaceTtl = z.looseObject({
  tenant_id: z.string(),
  longlived_ttl_days: z.int(),
  is_custom: z.boolean(),
});

const ttl = (path: `/${string}`, summary: string) => ({
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path,
    summary,
    credentials: 'api-key',
    right: 'read',
    responses: { 200: z.array(TtlSettings) },
  }),
  put: endpoint({
    kind: 'json',
    method: 'PUT',
    path,
    summary: 'Set how long new traces are kept',
    credentials: 'api-key',
    right: 'admin',
    body: TtlSettingsUpdate,
    responses: { 200: TtlSettings },
  }),
});
const workspaceTtl = ttl('/ttl-settings', 'Get how long traces of the workspace are kept');
const organizationTtl = ttl(
  '/orgs/ttl-settings',
  "Get how long traces of the organization's workspace are kept",
);

export const purging = {
  deleteRuns: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/delete',
    summary: 'Purge traces by ID, metadata or age',
    credentials: 'api-key',
    right: 'write',
    body: PurgeRequest,
    responses: { 202: Queued },
  }),
  deleteTraces: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/runs/delete/traces',
    summary: 'Purge traces by ID',
    credentials: 'api-key',
    right: 'write',
    body: PurgeRequest.extend({ session_id: Uuid, trace_ids: TraceIds.min(1) }),
    responses: { 202: Queued },
  }),
  listJobs: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/purge/jobs',
    summary: 'List purges and their progress, newest first',
    credentials: 'api-key',
    right: 'read',
    query: z.object({ ...queryPaging(100, 50), active: QueryBoolean.optional() }),
    responses: { 200: z.array(PurgeJob) },
  }),
  getJob: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/purge/jobs/{job_id}',
    summary: 'Get a purge',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ job_id: Uuid }),
    responses: { 200: PurgeJob },
  }),
  audit: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/purge/audit',
    summary: 'List who purged what, with the result of the verification, newest first',
    credentials: 'api-key',
    right: 'read',
    query: z.object(queryPaging(100, 50)),
    responses: { 200: z.array(AuditEntry) },
  }),
  getSettings: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/purge/settings',
    summary: 'Get the purge schedule',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: PurgeSettings },
  }),
  putSettings: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/purge/settings',
    summary: 'Set the purge schedule: a cron expression, or null for immediately',
    credentials: 'api-key',
    right: 'admin',
    body: z.object({ schedule: z.string().nullable(), timezone: z.string().default('UTC') }),
    responses: { 200: PurgeSettings },
  }),
  listTtl: workspaceTtl.list,
  putTtl: workspaceTtl.put,
  listOrganizationTtl: organizationTtl.list,
  putOrganizationTtl: organizationTtl.put,
  getWorkspaceTtl: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/workspaces/current/ttl-settings',
    summary: 'Get the extended retention of the workspace',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: WorkspaceTtl },
  }),
  putWorkspaceTtl: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/workspaces/current/ttl-settings',
    summary: 'Set the extended retention of the workspace',
    credentials: 'api-key',
    right: 'admin',
    body: z.strictObject({ longlived_ttl_days: Days }),
    responses: { 200: WorkspaceTtl },
  }),
};
