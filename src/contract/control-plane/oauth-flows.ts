import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, QueryInteger, Uuid } from '../fields.ts';

export const AuthenticateRequest = z.object({
  /** The provider's `provider_id`. */
  provider: z.string().min(1),
  scopes: z.array(z.string().min(1)),
  /** The user that the token is for; without one, the token belongs to the workspace. */
  user_id: z.string().min(1).nullish(),
  ls_user_id: z.string().min(1).nullish(),
  agent_id: z.string().min(1).nullish(),
  use_agent_builder_public_oauth: z.boolean().default(false),
  /** Asks for consent again even if there is a token. */
  force_new: z.boolean().default(false),
  token_id: Uuid.nullish(),
  is_default: z.boolean().default(true),
});
export type AuthenticateRequest = z.output<typeof AuthenticateRequest>;

export const AuthenticateAnswer = z.looseObject({
  status: z.enum(['completed', 'pending', 'connection_required', 'token_expired']),
  /** Where the user consents. */
  url: z.string().nullish(),
  auth_id: z.string().nullish(),
  token: z.string().nullish(),
  user_id: z.string().nullish(),
  metadata: JsonObject.nullish(),
});
export type AuthenticateAnswer = z.output<typeof AuthenticateAnswer>;

export const WaitAnswer = z.looseObject({
  status: z.enum(['completed', 'pending', 'timeout', 'not_found']),
  token: z.string().nullish(),
});
export type WaitAnswer = z.output<typeof WaitAnswer>;

const provider = z.object({ provider_id: z.string().min(1) });
/** The query of a provider's redirect; validated where the flow is finished. */
const redirect = z.looseObject({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

/**
 * Signing in: from the request for a token, through the user's consent, to the token
 * (docs/interface/control-plane.md#oauth).
 */
export const oauthFlows = {
  authenticate: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/auth/authenticate',
    summary: 'Get a token of a provider, or the URL where the user gives consent',
    credentials: 'api-key',
    right: 'sign-in',
    body: AuthenticateRequest,
    responses: { 200: AuthenticateAnswer },
  }),
  wait: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/wait/{auth_id}',
    summary: 'Wait for the consent of the user, up to a number of seconds',
    credentials: 'api-key',
    right: 'sign-in',
    params: z.object({ auth_id: z.string().min(1) }),
    query: z.object({ timeout: QueryInteger.pipe(z.int().min(0).max(300)).default(30) }),
    responses: { 200: WaitAnswer },
  }),
  finalize: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/auth/callback/{provider_id}',
    summary: 'Finish a sign-in with the code and state of the redirect',
    credentials: 'api-key',
    right: 'sign-in',
    params: provider,
    body: z.object({ code: z.string().min(1), state: z.string().min(1) }),
    responses: { 200: z.looseObject({ status: z.string() }) },
  }),
};

/**
 * Addresses to which providers redirect browsers. The `state` in the query is the credential; it is accepted
 * once.
 */
export const oauthRedirects = {
  callback: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/v2/auth/callback/{provider_id}',
    summary: 'Redirect URL of a provider',
    credentials: 'none',
    contentType: 'text/html; charset=utf-8',
    params: provider,
    query: redirect,
  }),
  hostCallback: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/host-oauth-callback/{provider_id}',
    summary: 'Redirect URL to register with a provider',
    credentials: 'none',
    contentType: 'text/html; charset=utf-8',
    params: provider,
    query: redirect,
  }),
  setup: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/v2/auth/setup/{provider_id}',
    summary: 'Redirect URL after a GitHub app was installed',
    credentials: 'none',
    contentType: 'text/html; charset=utf-8',
    params: provider,
    query: z.looseObject({
      ...redirect.shape,
      setup_action: z.string().optional(),
      installation_id: QueryInteger.optional(),
    }),
  }),
};
