import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { isLoopback } from '../loopback.ts';

/** An OAuth provider as it is returned (docs/interface/control-plane.md#oauth); its client secret never is. */
export const OAuthProvider = z.looseObject({
  id: z.string(),
  organization_id: z.string(),
  provider_id: z.string(),
  name: z.string(),
  client_id: z.string(),
  auth_url: z.string(),
  token_url: z.string(),
  uses_pkce: z.boolean(),
  code_challenge_method: z.string().nullable(),
  provider_type: z.string().nullish(),
  mcp_server_url: z.string().nullish(),
  token_endpoint_auth_method: z.string().default('client_secret_post'),
  is_dynamic_client: z.boolean().default(false),
  created_at: z.string(),
  updated_at: z.string(),
});
export type OAuthProvider = z.output<typeof OAuthProvider>;

/** Whether tokens and codes may be sent to a URL: only over TLS, or within this machine. */
export function isSafeEndpoint(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed?.protocol === 'https:') return true;
  return parsed?.protocol === 'http:' && isLoopback(parsed);
}

const EndpointUrl = z
  .string()
  .refine(isSafeEndpoint, 'Must be an https:// URL, or an http:// URL on this machine.');

const ProviderId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.-]+$/, 'May only contain letters, digits, dots, dashes and underscores.')
  // The ID is a part of paths, in which these names have a meaning.
  .refine((id) => id !== '.' && id !== '..', "Must not be '.' or '..'.");

const ChallengeMethod = z.enum(['S256', 'plain']);
export const TokenEndpointAuthMethod = z.enum(['none', 'client_secret_basic', 'client_secret_post']);
export type TokenEndpointAuthMethod = z.output<typeof TokenEndpointAuthMethod>;

export const OAuthProviderCreate = z.object({
  provider_id: ProviderId,
  name: z.string().min(1),
  client_id: z.string().min(1),
  client_secret: z.string().nullish(),
  auth_url: EndpointUrl,
  token_url: EndpointUrl,
  uses_pkce: z.boolean().default(false),
  code_challenge_method: ChallengeMethod.default('S256'),
  provider_type: z.enum(['microsoft', 'salesforce', 'slack']).nullish(),
  token_endpoint_auth_method: TokenEndpointAuthMethod.default('client_secret_post'),
});
export type OAuthProviderCreate = z.output<typeof OAuthProviderCreate>;

/** Fields that are null or absent stay as they are. */
export const OAuthProviderUpdate = z.object({
  name: z.string().min(1).nullish(),
  client_id: z.string().min(1).nullish(),
  client_secret: z.string().nullish(),
  auth_url: EndpointUrl.nullish(),
  token_url: EndpointUrl.nullish(),
  uses_pkce: z.boolean().nullish(),
  code_challenge_method: ChallengeMethod.nullish(),
});
export type OAuthProviderUpdate = z.output<typeof OAuthProviderUpdate>;

export const McpDiscovery = z.object({
  provider_id: ProviderId,
  name: z.string().min(1),
  mcp_server_url: EndpointUrl,
});
export type McpDiscovery = z.output<typeof McpDiscovery>;

const params = z.object({ provider_id: z.string().min(1) });
const PROVIDER_PATH = '/v2/auth/providers/{provider_id}';

export const oauthProviders = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/providers',
    summary: 'List OAuth providers',
    credentials: 'api-key',
    right: 'read',
    responses: { 200: z.array(OAuthProvider) },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/auth/providers',
    summary: 'Create an OAuth provider',
    credentials: 'api-key',
    right: 'deploy',
    body: OAuthProviderCreate,
    responses: { 200: OAuthProvider },
  }),
  discoverMcp: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/auth/providers/mcp-discover',
    summary: 'Create an OAuth provider from the URL of an MCP server',
    credentials: 'api-key',
    right: 'deploy',
    body: McpDiscovery,
    responses: { 200: OAuthProvider },
  }),
  get: endpoint({
    kind: 'json',
    method: 'GET',
    path: PROVIDER_PATH,
    summary: 'Get an OAuth provider',
    credentials: 'api-key',
    right: 'read',
    params,
    responses: { 200: OAuthProvider },
  }),
  update: endpoint({
    kind: 'json',
    method: 'PATCH',
    path: PROVIDER_PATH,
    summary: 'Update an OAuth provider',
    credentials: 'api-key',
    right: 'deploy',
    params,
    body: OAuthProviderUpdate,
    responses: { 200: OAuthProvider },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: PROVIDER_PATH,
    summary: 'Delete an OAuth provider with its tokens',
    credentials: 'api-key',
    right: 'deploy',
    params,
    responses: { 200: z.looseObject({}) },
  }),
};
