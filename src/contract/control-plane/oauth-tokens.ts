import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

/** A stored token without the token itself. */
export const OAuthTokenSummary = z.looseObject({
  id: z.string(),
  provider_id: z.string(),
  provider_account_label: z.string().nullish(),
  scopes: z.array(z.string()).default([]),
  expires_at: z.string().nullish(),
  is_default: z.boolean().default(false),
  created_at: z.string(),
  updated_at: z.string(),
});
export type OAuthTokenSummary = z.output<typeof OAuthTokenSummary>;

export const OAuthTokenUpdate = z.object({
  provider_account_label: z.string().nullish(),
  is_default: z.boolean().nullish(),
});
export type OAuthTokenUpdate = z.output<typeof OAuthTokenUpdate>;

const HasToken = z.looseObject({ has_token: z.boolean() });
/** `user_id` is an addition of Agent Harbor; without it, the tokens of the workspace itself are meant. */
const ofProvider = z.object({ provider_id: z.string().min(1), user_id: z.string().min(1).optional() });

export const oauthTokens = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/tokens',
    summary: 'List the tokens of a user',
    credentials: 'api-key',
    right: 'read',
    query: z.object({ provider_id: z.string().min(1).optional(), user_id: z.string().min(1).optional() }),
    responses: { 200: z.array(OAuthTokenSummary) },
  }),
  deleteAll: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/auth/tokens',
    summary: "Delete a user's tokens of a provider",
    credentials: 'api-key',
    right: 'write',
    query: ofProvider,
    responses: { 200: z.looseObject({ deleted: z.int() }) },
  }),
  exists: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/tokens/exists',
    summary: 'Check whether a user has a token of a provider',
    credentials: 'api-key',
    right: 'read',
    query: ofProvider,
    responses: { 200: HasToken },
  }),
  slackExists: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/tokens/workspace/slack/exists',
    summary: 'Check whether anyone in the workspace has a Slack token',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: HasToken },
  }),
  deleteSlack: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/auth/tokens/workspace/slack',
    summary: 'Delete all Slack tokens of the workspace',
    credentials: 'api-key',
    right: 'write',
    responses: { 200: z.looseObject({ deleted: z.int() }) },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: '/v2/auth/tokens/{token_id}/metadata',
    summary: 'Label a token, or make it the default',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ token_id: Uuid }),
    body: OAuthTokenUpdate,
    responses: { 200: OAuthTokenSummary },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/auth/tokens/{token_id}',
    summary: 'Delete a token',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ token_id: Uuid }),
    responses: { 204: null },
  }),
};
