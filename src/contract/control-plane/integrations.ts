import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

export const GithubIntegration = z.looseObject({
  id: z.string(),
  installation_id: z.int(),
  name: z.string(),
});
export type GithubIntegration = z.output<typeof GithubIntegration>;

export const GithubRepository = z.looseObject({
  host_integration_id: z.string(),
  id: z.int(),
  name: z.string(),
  owner: z.string(),
  url: z.string(),
  default_branch: z.string(),
});
export type GithubRepository = z.output<typeof GithubRepository>;

const params = z.object({ integration_id: Uuid });
const list = { 200: z.array(GithubIntegration) };
const repositories = { 200: z.array(GithubRepository) };

/** Accounts of code hosts (docs/interface/control-plane.md#integrations). */
export const integrations = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v1/integrations/github/install',
    summary: 'List GitHub integrations',
    credentials: 'api-key',
    right: 'read',
    responses: list,
  }),
  repositories: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v1/integrations/github/{integration_id}/repos',
    summary: 'List the repositories of a GitHub integration',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: repositories,
  }),
  forgeList: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v1/integrations/forge/github/install',
    summary: 'List GitHub integrations',
    credentials: 'api-key',
    right: 'read',
    responses: list,
  }),
  forgeRepositories: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v1/integrations/forge/github/{integration_id}/repos',
    summary: 'List the repositories of a GitHub integration',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: repositories,
  }),
};

/**
 * Agent Harbor only: integrations that use a token of the user. The cloud creates integrations by installing its GitHub
 * app, which needs an address on the internet.
 */
export const ownIntegrations = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/integrations/github',
    summary: 'Add a GitHub account by its token',
    credentials: 'api-key',
    right: 'deploy',
    body: z.object({ name: z.string().min(1), token: z.string().min(1) }),
    responses: { 201: GithubIntegration },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/harbor/integrations/github/{integration_id}',
    summary: 'Remove a GitHub account',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 204: null },
  }),
};
