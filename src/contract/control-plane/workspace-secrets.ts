import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

export const WorkspaceSecret = z.looseObject({ key: z.string() });
export type WorkspaceSecret = z.output<typeof WorkspaceSecret>;

const Key = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,199}$/, 'Must be the name of an environment variable.');
const Value = z
  .string()
  .min(1, 'Must have a value.')
  .max(64 * 1024);

const SECRETS_PATH = '/workspaces/current/secrets';
const params = z.object({ key: Key });

/** Secrets of a workspace, such as keys of model providers. Their values are never returned. */
export const workspaceSecrets = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: SECRETS_PATH,
    summary: 'List the names of the secrets of the workspace',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: z.array(WorkspaceSecret) },
  }),
  set: endpoint({
    kind: 'json',
    method: 'POST',
    path: SECRETS_PATH,
    summary: 'Set secrets of the workspace; a null value deletes a secret',
    credentials: 'api-key',
    right: 'deploy',
    body: z.array(z.object({ key: Key, value: Value.nullable() })).min(1),
    responses: { 200: z.looseObject({ message: z.string() }) },
  }),
  put: endpoint({
    kind: 'json',
    method: 'PUT',
    path: `${SECRETS_PATH}/{key}`,
    summary: 'Set a secret of the workspace; without a value it is unchanged',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: z.object({
      value: Value.nullish(),
      configs: z.array(z.never(), 'Not supported: this server sends secrets to no hosts.').max(0).nullish(),
    }),
    responses: { 200: WorkspaceSecret },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: `${SECRETS_PATH}/{key}`,
    summary: 'Delete a secret of the workspace',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 204: null },
  }),
};
