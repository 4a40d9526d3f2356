import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { QueryBoolean, QueryList, queryPaging, Uuid } from '../fields.ts';
import { Deployment } from './deployments.ts';
import { SourceRevisionConfig } from './sources.ts';

export const RevisionStatus = z.enum([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'CREATE_FAILED',
  'BUILD_FAILED',
  'DEPLOY_FAILED',
  'DEPLOYED',
  'SKIPPED',
  'INTERRUPTED',
  'UNKNOWN',
]);
export type RevisionStatus = z.output<typeof RevisionStatus>;

const UNDER_WAY: ReadonlySet<string> = new Set([
  'CREATING',
  'QUEUED',
  'AWAITING_BUILD',
  'BUILDING',
  'AWAITING_DEPLOY',
  'DEPLOYING',
  'UNKNOWN',
]);

/** Whether a revision's status will no longer change; an unknown status may. */
export function isTerminal(status: string): boolean {
  return status.includes('FAILED') || (!UNDER_WAY.has(status) && RevisionStatus.safeParse(status).success);
}

export const StatusChange = z.looseObject({ status: z.string(), at: z.string() });

export const Revision = z.looseObject({
  id: z.string(),
  status: z.string(),
  /**
   * Why the revision has this status, in a sentence; above all for failed, skipped and interrupted
   * revisions.
   */
  status_message: z.string().nullish(),
  /** Every status that the revision has had, in order, with the time at which it began. */
  status_history: z.array(StatusChange).optional(),
  source: z.string().optional(),
  source_revision_config: SourceRevisionConfig.optional(),
  /**
   * Agent Harbor only: how many runs may still end on this earlier revision, and until when; absent for all
   * others.
   */
  draining: z.looseObject({ until: z.string(), runs: z.int() }).optional(),
  created_at: z.string(),
  updated_at: z.string().optional(),
});
export type Revision = z.output<typeof Revision>;

export const RevisionFilter = z.object({
  ...queryPaging(100, 20),
  status: QueryList.optional(),
  remote_reconciled: QueryBoolean.optional(),
});
export type RevisionFilter = z.output<typeof RevisionFilter>;

const params = z.object({ deployment_id: Uuid, revision_id: Uuid });

/** Revisions (docs/interface/control-plane.md#revisions). */
export const revisions = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions',
    summary: 'List the revisions of a deployment, newest first',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ deployment_id: Uuid }),
    query: RevisionFilter,
    responses: { 200: z.looseObject({ resources: z.array(Revision), offset: z.int().optional() }) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}',
    summary: 'Get a revision',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: { 200: Revision },
  }),
  redeploy: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
    summary: 'Deploy a revision again, or roll back to an earlier one, as a new revision',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 200: Deployment },
  }),
  interrupt: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v1/projects/{deployment_id}/revisions/{revision_id}/interrupt',
    summary: 'Interrupt a revision that is being built or deployed',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 200: Revision },
  }),
};
