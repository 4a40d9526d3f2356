import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import { messageOf } from '../../../process/message-of.ts';
import { HttpError } from '../../http/errors.ts';
import type { ProviderRow, ProviderStore } from './provider-store.ts';

const TIMEOUT_MS = 20_000;
/** The error codes of providers that would accept the same request later. */
const FOR_LATER = new Set(['temporarily_unavailable', 'slow_down']);

/** The response of a token endpoint. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** A time in ISO 8601; null if the provider does not state it. */
  readonly expiresAt: string | null;
  /** The granted scopes, if the provider returns them. */
  readonly scopes: readonly string[] | undefined;
  /** The label of the account, from fields that the provider returns. */
  readonly label: string | undefined;
}

/** The provider refused the code or refresh token, and would refuse it again. */
export class GrantRefusedError extends Error {
  override readonly name = 'GrantRefusedError';
}

/** The provider did not answer, or failed itself: the same request may succeed later. */
export class ProviderUnavailableError extends HttpError {
  constructor(sentence: string) {
    super(502, sentence);
  }
}

/** The OAuth client's side of the authorization code flow, for one provider at a time. */
export class OAuthClient {
  readonly #providers: ProviderStore;

  constructor(providers: ProviderStore) {
    this.#providers = providers;
  }

  /**
   * Starts the flow.
   * @returns the address where the user consents, and the PKCE verifier to keep until the code arrives.
   */
  async begin(
    provider: ProviderRow,
    options: { state: string; redirectUri: string; scopes: readonly string[] },
  ): Promise<{ url: string; verifier: string | undefined }> {
    const url = new URL(provider.auth_url);
    url.searchParams.set('response_type', 'code');
    url.searchParams.set('client_id', provider.client_id);
    url.searchParams.set('redirect_uri', options.redirectUri);
    url.searchParams.set('state', options.state);
    if (options.scopes.length > 0) url.searchParams.set('scope', options.scopes.join(' '));
    // OpenID Connect requires the user's consent for a refresh token.
    if (options.scopes.includes('offline_access')) url.searchParams.set('prompt', 'consent');
    if (provider.mcp_server_url !== null) url.searchParams.set('resource', provider.mcp_server_url);
    if (provider.uses_pkce === 0) return { url: url.href, verifier: undefined };
    const verifier = oauth.generateRandomCodeVerifier();
    const plain = provider.code_challenge_method === 'plain';
    const challenge = plain ? verifier : await oauth.calculatePKCECodeChallenge(verifier);
    url.searchParams.set('code_challenge', challenge);
    url.searchParams.set('code_challenge_method', plain ? 'plain' : 'S256');
    return { url: url.href, verifier };
  }

  /** Exchanges a code. @throws GrantRefusedError; ProviderUnavailableError; HttpError 502 for an unexpected response */
  async exchange(
    provider: ProviderRow,
    options: { code: string; redirectUri: string; verifier: string | undefined },
  ): Promise<Grant> {
    const { as, client, authentication } = this.#parties(provider);
    // The state was already verified by the store.
    const parameters = oauth.validateAuthResponse(as, client, new URLSearchParams({ code: options.code }));
    const response = oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      parameters,
      options.redirectUri,
      options.verifier ?? oauth.nopkce,
      requestOptions(provider),
    );
    return readGrant(provider, response, (standard) =>
      oauth.processAuthorizationCodeResponse(as, client, standard),
    );
  }

  /**
   * Gets a new token for a refresh token.
   * @throws GrantRefusedError; ProviderUnavailableError; HttpError 502 for an unexpected response
   */
  async refresh(provider: ProviderRow, refreshToken: string): Promise<Grant> {
    const { as, client, authentication } = this.#parties(provider);
    const options = requestOptions(provider);
    const response = oauth.refreshTokenGrantRequest(as, client, authentication, refreshToken, options);
    return readGrant(provider, response, (standard) =>
      oauth.processRefreshTokenResponse(as, client, standard),
    );
  }

  #parties(provider: ProviderRow): {
    as: oauth.AuthorizationServer;
    client: oauth.Client;
    authentication: oauth.ClientAuth;
  } {
    const as = {
      // The real issuer is unknown. The library only compares it with ID tokens, which are not used.
      issuer: new URL(provider.auth_url).origin,
      authorization_endpoint: provider.auth_url,
      token_endpoint: provider.token_url,
    };
    return {
      as,
      client: { client_id: provider.client_id },
      authentication: authenticationOf(provider, this.#providers.clientSecret(provider)),
    };
  }
}

function authenticationOf(provider: ProviderRow, secret: string | undefined): oauth.ClientAuth {
  if (secret === undefined || provider.token_endpoint_auth_method === 'none') return oauth.None();
  return provider.token_endpoint_auth_method === 'client_secret_basic'
    ? oauth.ClientSecretBasic(secret)
    : oauth.ClientSecretPost(secret);
}

function requestOptions(provider: ProviderRow): oauth.TokenEndpointRequestOptions {
  return {
    // The contract allows plain http only for this machine.
    [oauth.allowInsecureRequests]: true,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    ...(provider.mcp_server_url === null
      ? {}
      : { additionalParameters: { resource: provider.mcp_server_url } }),
  };
}

/** Slack returns the token of the user in a separate object. */
const SlackAnswer = z.looseObject({
  authed_user: z.looseObject({ access_token: z.string(), scope: z.string().optional() }).optional(),
});
const Claims = z.looseObject({
  email: z.string().optional(),
  preferred_username: z.string().optional(),
  name: z.string().optional(),
  sub: z.string().optional(),
});

/**
 * Prepares a token response for the library: removes the ID token, moves Slack's user token to the top, and gives refusals
 * the status of one, because GitHub and Slack send them with 200.
 * @returns the response, and the label of the account from the ID token. The ID token's signature is not
 * checked, because the token came directly from the token endpoint.
 */
async function standardize(
  response: Response,
  provider: ProviderRow,
): Promise<{ standard: Response; label: string | undefined }> {
  const text = await response.text();
  const fields = z.record(z.string(), z.unknown()).safeParse(jsonOrUndefined(text));
  if (!fields.success) return { standard: new Response(text, response), label: undefined };
  const { id_token: idToken, ...rest } = fields.data;
  const slack = provider.provider_type === 'slack' ? SlackAnswer.safeParse(rest) : undefined;
  const user = slack?.success === true ? slack.data.authed_user : undefined;
  const answer = user === undefined ? rest : { ...rest, ...user, token_type: 'bearer' };
  const status = response.ok && typeof answer.error === 'string' ? 400 : response.status;
  return { standard: Response.json(answer, { status }), label: labelOf(idToken) };
}

function labelOf(idToken: unknown): string | undefined {
  if (typeof idToken !== 'string') return undefined;
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString('utf8');
  const claims = Claims.safeParse(jsonOrUndefined(payload));
  if (!claims.success) return undefined;
  return claims.data.email ?? claims.data.preferred_username ?? claims.data.name ?? claims.data.sub;
}

/** Reads a token response. @throws GrantRefusedError; ProviderUnavailableError; HttpError 502 for any other failure */
async function readGrant(
  provider: ProviderRow,
  request: Promise<Response>,
  process: (standard: Response) => Promise<oauth.TokenEndpointResponse>,
): Promise<Grant> {
  let status: number | undefined;
  try {
    const response = await request;
    status = response.status;
    const { standard, label } = await standardize(response, provider);
    const answer = await process(standard);
    const { expires_in: seconds } = answer;
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: seconds === undefined ? null : new Date(Date.now() + seconds * 1_000).toISOString(),
      scopes: answer.scope?.split(/[\s,]+/).filter((scope) => scope !== ''),
      label,
    };
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) {
      const sentence = `The provider refused: ${error.error}${error.error_description ? ` (${error.error_description})` : ''}.`;
      if (status === 429 || FOR_LATER.has(error.error)) throw new ProviderUnavailableError(sentence);
      throw new GrantRefusedError(sentence);
    }
    const sentence = `The provider's token endpoint returned an unexpected response: ${messageOf(error)}`;
    const isUnavailable = status === undefined || status === 429 || status >= 500;
    throw isUnavailable ? new ProviderUnavailableError(sentence) : new HttpError(502, sentence);
  }
}
