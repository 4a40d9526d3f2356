import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { defaulted, QueryBoolean, QueryList, queryPaging, Uuid } from '../fields.ts';
import {
  DeploymentSource,
  DeploymentType,
  Secret,
  SecretReference,
  SourceConfig,
  SourceConfigRequest,
  SourceRevisionConfig,
  SourceRevisionConfigRequest,
} from './sources.ts';

export const DeploymentStatus = z.enum([
  'AWAITING_DATABASE',
  'READY',
  'UNUSED',
  'AWAITING_DELETE',
  'UNKNOWN',
]);
export type DeploymentStatus = z.output<typeof DeploymentStatus>;

export const Deployment = z.looseObject({
  id: z.string(),
  name: z.string(),
  tenant_id: z.string(),
  source: z.string(),
  source_config: SourceConfig,
  source_revision_config: SourceRevisionConfig,
  /** Names only: the values here are empty. */
  secrets: z.array(z.looseObject({ name: z.string() })),
  secret_references: z.array(z.looseObject({})).nullish(),
  status: z.string(),
  latest_revision_id: z.string().nullable(),
  active_revision_id: z.string().nullable(),
  image_version: z.string().nullish(),
  /** Agent Harbor only: the time at which the deployment was paused; since then, it starts no runs. */
  paused_at: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Deployment = z.output<typeof Deployment>;

const Secrets = z
  .array(Secret)
  .max(500)
  .refine(
    (secrets) => new Set(secrets.map(({ name }) => name)).size === secrets.length,
    'Must not contain a secret twice.',
  );

export const DeploymentCreate = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(255)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a name
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'Must not contain control characters.'),
  source: DeploymentSource,
  source_config: defaulted(SourceConfigRequest, {}),
  source_revision_config: defaulted(SourceRevisionConfigRequest, {}),
  secrets: defaulted(Secrets, []),
  secret_references: z.array(SecretReference).nullish(),
});
export type DeploymentCreate = z.output<typeof DeploymentCreate>;

/** Fields that are null or absent stay as they are. */
export const DeploymentPatch = z.object({
  revision_source: DeploymentSource.nullish(),
  source_config: SourceConfigRequest.nullish(),
  source_revision_config: SourceRevisionConfigRequest.nullish(),
  secrets: Secrets.nullish(),
  secret_references: z.array(SecretReference).nullish(),
  tracked_packages: z.array(z.string()).nullish(),
});
export type DeploymentPatch = z.output<typeof DeploymentPatch>;

export const DeploymentFilter = z.object({
  ...queryPaging(100, 20),
  name: z.string().optional(),
  name_contains: z.string().optional(),
  status: QueryList.optional(),
  deployment_type: DeploymentType.optional(),
  deployment_ids: QueryList.optional(),
  image_version: z.string().optional(),
  remote_reconciled: QueryBoolean.optional(),
  tag_value_ids: QueryList.optional(),
  agent_id: z.string().optional(),
  agent_environment: z.string().optional(),
});
export type DeploymentFilter = z.output<typeof DeploymentFilter>;

const params = z.object({ deployment_id: Uuid });
const DEPLOYMENT_PATH = '/v2/deployments/{deployment_id}';

/** Deployments (docs/interface/control-plane.md#deployments); served at the root and under `/api-host`. */
export const deployments = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/deployments',
    summary: 'List deployments',
    credentials: 'api-key',
    right: 'read',
    query: DeploymentFilter,
    responses: { 200: z.looseObject({ resources: z.array(Deployment), offset: z.int() }) },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/deployments',
    summary: 'Create a deployment and its first revision',
    credentials: 'api-key',
    right: 'deploy',
    body: DeploymentCreate,
    responses: { 201: Deployment },
  }),
  deleteMany: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/deployments',
    summary: 'Delete several deployments',
    credentials: 'api-key',
    right: 'deploy',
    query: z.object({ deployment_ids: QueryList.pipe(z.array(Uuid).min(1).max(100)) }),
    responses: {
      200: z.looseObject({ deleted: z.array(z.string()) }),
      207: z.looseObject({ deleted: z.array(z.string()), not_found: z.array(z.string()) }),
    },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: DEPLOYMENT_PATH,
    summary: 'Get a deployment',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: { 200: Deployment },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: DEPLOYMENT_PATH,
    summary: 'Update a deployment; changes of source, secrets or resources create a revision',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: DeploymentPatch,
    responses: { 200: Deployment },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: DEPLOYMENT_PATH,
    summary: 'Delete a deployment',
    credentials: 'api-key',
    right: 'deploy',
    params,
    query: z.object({ delete_tracing_project: QueryBoolean.default(false) }),
    responses: { 204: null },
  }),
  uploadUrl: endpoint({
    kind: 'json',
    method: 'POST',
    path: `${DEPLOYMENT_PATH}/upload-url`,
    summary: 'Get a URL to PUT the source to, as a tarball',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: z.looseObject({ supports_upload_headers: z.boolean().optional() }),
    responses: {
      200: z.looseObject({
        upload_url: z.string(),
        object_path: z.string(),
        upload_headers: z.record(z.string(), z.string()).optional(),
      }),
    },
  }),
  /** Anyone who has this address may upload one tarball to it. */
  upload: endpoint({
    kind: 'raw',
    method: 'PUT',
    path: '/v2/uploads/{token}',
    summary: 'Upload a tarball to the URL returned by upload-url',
    credentials: 'presigned',
    contentType: 'text/plain',
    params: z.object({ token: z.string().min(20).max(200) }),
  }),
  pushToken: endpoint({
    kind: 'json',
    method: 'POST',
    path: `${DEPLOYMENT_PATH}/push-token`,
    summary: 'Not supported: images cannot be pushed to this server',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: z.looseObject({}),
    responses: { 200: z.looseObject({ token: z.string(), registry_url: z.string() }) },
  }),
};
