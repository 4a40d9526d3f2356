import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { JsonObject, QueryList, queryPaging, Uuid } from './fields.ts';

/** The public kinds of source, and ours: the workspace that is open in an editor, as it stands on disk. */
export const DeploymentSource = z.enum([
  'github',
  'external_docker',
  'internal_docker',
  'internal_source',
  'workspace',
]);
export type DeploymentSource = z.output<typeof DeploymentSource>;

export const DeploymentStatus = z.enum([
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
]);

export const Deployment = z.looseObject({
  id: z.string(),
  name: z.string(),
  tenant_id: z.string(),
  source: z.string(),
  /** `custom_url` is the address of the running deployment, as public clients read it. */
  source_config: JsonObject,
  source_revision_config: JsonObject,
  secrets: z.array(z.looseObject({ name: z.string() })),
  status: z.string(),
  latest_revision_id: z.string().nullable(),
  active_revision_id: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Deployment = z.output<typeof Deployment>;

const params = z.object({ deployment_id: Uuid });

/** The control plane (specification, "Control plane"); served at the root and under `/api-host`. */
export const deployments = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/deployments',
    summary: 'List deployments',
    credentials: 'api-key',
    query: z.object({
      ...queryPaging(100, 20),
      name_contains: z.string().optional(),
      status: DeploymentStatus.optional(),
      deployment_type: z.string().optional(),
      deployment_ids: QueryList.optional(),
    }),
    responses: { 200: z.looseObject({ resources: z.array(Deployment), offset: z.int() }) },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/deployments/{deployment_id}',
    summary: 'Get a deployment',
    credentials: 'api-key',
    params,
    responses: { 200: Deployment },
  }),
};
