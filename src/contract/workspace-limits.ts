import { z } from 'zod';
import { endpoint } from './endpoint.ts';

const limit = (max: number) => z.int().min(1).max(max).nullable();

/** Agent Harbor only: the limits that the owner sets for a workspace; null means no limit. */
export const WorkspaceLimits = z.object({
  /** Running and waiting runs in all deployments of the workspace. */
  max_unfinished_runs: limit(1_000_000),
  /** Threads in all deployments of the workspace. */
  max_threads: limit(1_000_000_000),
  /** Bytes of the threads, stores, traces and datasets of the workspace. */
  max_storage_bytes: limit(Number.MAX_SAFE_INTEGER),
  /** Trace requests per minute and server. */
  max_ingestions_per_minute: limit(1_000_000),
  /** Bytes of a trace request after decompression. */
  max_ingestion_bytes: limit(2 ** 31),
  /** Days for which the audit log is kept; null means forever. */
  audit_days: limit(36_500),
});
export type WorkspaceLimits = z.output<typeof WorkspaceLimits>;

const WorkspaceLimitsChange = z.strictObject(WorkspaceLimits.partial().shape);
export type WorkspaceLimitsChange = z.output<typeof WorkspaceLimitsChange>;

/** Limits of workspaces. The owner's key is for all workspaces: `x-tenant-id` chooses one. */
export const workspaceLimits = {
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/limits',
    summary: 'Get the limits of the workspace',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: WorkspaceLimits },
  }),
  set: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/harbor/limits',
    summary: 'Set limits of the workspace, or lift them',
    credentials: 'api-key',
    right: 'owner',
    body: WorkspaceLimitsChange,
    responses: { 200: WorkspaceLimits },
  }),
};
