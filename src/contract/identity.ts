import { z } from 'zod';
import { endpoint, RIGHTS, type Right } from './endpoint.ts';
import { kept, Uuid } from './fields.ts';

export const Organization = z.looseObject({
  id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
});
export type Organization = z.output<typeof Organization>;

export const Workspace = z.looseObject({
  id: z.string(),
  organization_id: z.string(),
  display_name: z.string(),
  created_at: z.string(),
});
export type Workspace = z.output<typeof Workspace>;

export const ApiKey = z.looseObject({
  id: Uuid,
  /** The first characters, by which users distinguish their keys. */
  short_key: z.string(),
  description: z.string(),
  workspaces: z.array(z.string()),
  rights: z.array(z.string()),
  /** The names of the projects that the key may write to with `trace`; null for all. */
  projects: z.array(z.string()).nullable(),
  /** The deployment that the key was made for: the key is revoked with it, and may call nothing else. */
  deployment_id: z.string().nullable(),
  created_at: z.string(),
  /** The time from which the key is refused; may be in the future. */
  revoked_at: z.string().nullable(),
});
export type ApiKey = z.output<typeof ApiKey>;

export const NewApiKey = ApiKey.extend({ key: z.string() });
export type NewApiKey = z.output<typeof NewApiKey>;

/** The default rights of a new key. It may neither deploy code to the server's machine nor give others access. */
export const USUAL_RIGHTS = ['trace', 'run', 'read', 'write'] as const satisfies readonly Right[];

export const RightName = z.enum(RIGHTS);
const Rights = z.array(RightName).min(1, 'Name at least one right.');
const Projects = z.array(kept(z.string().min(1).max(1_000))).min(1, 'Name at least one project.');

/** Thirty days. */
const MAX_OVERLAP_SECONDS = 30 * 24 * 60 * 60;

const Name = kept(z.string().trim().min(1, 'Must have a name.').max(200));

/** Organizations, their workspaces, and the keys that give access to them. */
export const identity = {
  currentOrganization: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/orgs/current',
    summary: 'Get the organization of the key',
    credentials: 'api-key',
    right: 'any',
    responses: { 200: Organization },
  }),
  createOrganization: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/orgs',
    summary: 'Create an organization with a workspace, and a key that is shown only once',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({ display_name: Name }),
    responses: {
      200: Organization.extend({ workspace_id: z.string(), key: z.string() }),
    },
  }),
  listWorkspaces: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/workspaces',
    summary: 'List the workspaces of the key',
    // Callers need no workspace to find out which workspaces they may choose.
    credentials: 'api-key-alone',
    right: 'any',
    responses: { 200: z.array(Workspace) },
  }),
  createWorkspace: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/workspaces',
    summary: 'Create a workspace in the organization of the key',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({ display_name: Name }),
    responses: { 200: Workspace },
  }),
  renameWorkspace: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/workspaces/{workspace_id}',
    summary: 'Rename a workspace',
    credentials: 'api-key',
    right: 'admin',
    params: z.object({ workspace_id: Uuid }),
    body: z.object({ display_name: Name }),
    responses: { 200: Workspace },
  }),
  deleteWorkspace: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/workspaces/{workspace_id}',
    summary: 'Delete a workspace and purge everything in it',
    credentials: 'api-key',
    right: 'admin',
    params: z.object({ workspace_id: Uuid }),
    responses: { 202: z.looseObject({ message: z.string(), job_id: z.string() }) },
  }),
  listKeys: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/api-key',
    summary: 'List the API keys of the workspace, without their values',
    credentials: 'api-key',
    right: 'admin',
    responses: { 200: z.array(ApiKey) },
  }),
  createKey: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/api-key',
    summary: 'Create an API key, which is shown only once',
    credentials: 'api-key',
    right: 'admin',
    body: z.object({
      description: kept(z.string().max(200)).default('API key'),
      /** The workspaces that the key gives access to; by default, the workspace of the request. */
      workspaces: z.array(Uuid).min(1).nullish(),
      /** Only rights that the caller's own key has. */
      rights: Rights.default([...USUAL_RIGHTS]),
      projects: Projects.nullish(),
    }),
    responses: { 200: NewApiKey },
  }),
  narrowKey: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/api-key/{api_key_id}',
    summary: 'Describe an API key, or take rights or projects from it',
    credentials: 'api-key',
    right: 'admin',
    params: z.object({ api_key_id: Uuid }),
    body: z.strictObject({
      description: kept(z.string().max(200)).nullish(),
      rights: Rights.nullish(),
      projects: Projects.nullish(),
    }),
    responses: { 200: ApiKey },
  }),
  rotateKey: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/api-key/{api_key_id}/rotate',
    summary: 'Replace an API key by a new one with the same access, which is shown only once',
    credentials: 'api-key',
    right: 'admin',
    params: z.object({ api_key_id: Uuid }),
    /** How long the previous key stays valid beside the new one. */
    body: z.strictObject({ overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(0) }),
    responses: { 200: NewApiKey },
  }),
  revokeKey: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/api-key/{api_key_id}',
    summary: 'Revoke an API key',
    credentials: 'api-key',
    right: 'admin',
    params: z.object({ api_key_id: Uuid }),
    responses: { 200: ApiKey },
  }),
};
