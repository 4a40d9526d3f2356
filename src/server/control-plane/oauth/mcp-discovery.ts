import * as oauth from 'oauth4webapi';
import {
  isSafeEndpoint,
  type OAuthProviderCreate,
  OAuthProviderCreate as OAuthProviderCreateSchema,
  TokenEndpointAuthMethod,
} from '../../../contract/control-plane/oauth-providers.ts';
import { messageOf } from '../../../process/message-of.ts';
import { badRequest, HttpError } from '../../http/errors.ts';

const TIMEOUT_MS = 20_000;

/** An MCP server, with the field names that requests use. */
export interface McpServer {
  readonly provider_id: string;
  readonly name: string;
  readonly mcp_server_url: string;
}

/**
 * Finds out how to sign in to an MCP server, following the MCP specification: reads the server's protected resource
 * metadata and the metadata of its authorization server, and registers a client there.
 * @param timeoutMs the time limit of each request.
 * @throws HttpError 400 for a server without this information, 502 for one that does not answer.
 */
export async function discoverMcpProvider(
  server: McpServer,
  redirectUri: string,
  timeoutMs = TIMEOUT_MS,
): Promise<OAuthProviderCreate> {
  const resource = new URL(server.mcp_server_url);
  const issuer = requireSafe(await discoverIssuer(resource, timeoutMs), resource);
  const as = await discoverMetadata(issuer, timeoutMs);
  if (as.authorization_endpoint === undefined || as.token_endpoint === undefined) {
    throw badRequest(`${issuer.href} has no sign-in endpoints.`);
  }
  if (as.registration_endpoint === undefined) {
    throw badRequest(
      `${issuer.href} does not support client registration. Create the provider with your own client ID.`,
    );
  }
  requireSafe(as.registration_endpoint, issuer);
  const client = await register(as, { server, redirectUri }, timeoutMs);
  // RFC 7591 defines the method of a client with a secret whose method is not stated.
  const stated =
    client.token_endpoint_auth_method ??
    (typeof client.client_secret === 'string' ? 'client_secret_basic' : 'none');
  const method = TokenEndpointAuthMethod.safeParse(stated);
  if (!method.success) {
    throw badRequest(
      `${issuer.href} registered a client with the authentication method '${String(stated)}', which is not supported. Use ${TokenEndpointAuthMethod.options.join(', ')}, or create the provider with your own client ID.`,
    );
  }
  const created = OAuthProviderCreateSchema.safeParse({
    provider_id: server.provider_id,
    name: server.name,
    client_id: client.client_id,
    client_secret: typeof client.client_secret === 'string' ? client.client_secret : null,
    auth_url: as.authorization_endpoint,
    token_url: as.token_endpoint,
    uses_pkce: true,
    code_challenge_method: 'S256',
    token_endpoint_auth_method: method.data,
  });
  if (!created.success) throw badRequest(`${issuer.href} returned URLs that are not safe to use.`);
  return created.data;
}

/** Requires that a URL from metadata uses TLS, or is on this machine. @throws HttpError 400 */
function requireSafe<Address extends URL | string>(address: Address, returnedBy: URL): Address {
  if (isSafeEndpoint(String(address))) return address;
  throw badRequest(
    `${returnedBy.origin} returned the URL ${address}, which is neither https nor on this machine.`,
  );
}

/**
 * Finds the authorization server of an MCP server.
 * @throws HttpError 502 if the MCP server does not answer.
 */
async function discoverIssuer(resource: URL, timeoutMs: number): Promise<URL> {
  try {
    const response = await oauth.resourceDiscoveryRequest(resource, options(timeoutMs));
    const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(
      resource,
      response,
    );
    const [first] = servers ?? [];
    if (first !== undefined) return new URL(first);
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(resource, error);
    // Metadata that cannot be used counts as none. Servers of MCP 2025-03-26 publish none, and are their own
    // authorization server.
  }
  return new URL(resource.origin);
}

/**
 * Reads the metadata of an authorization server, of OAuth or else of OpenID Connect.
 * @throws HttpError 400 if it has neither, 502 if it does not answer.
 */
async function discoverMetadata(issuer: URL, timeoutMs: number): Promise<oauth.AuthorizationServer> {
  let failure: unknown;
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...options(timeoutMs) });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      failure = error;
    }
  }
  if (isUnreachable(failure)) throw unreachable(issuer, failure);
  throw badRequest(`${issuer.href} does not describe how to sign in: ${messageOf(failure)}`);
}

/** Registers a client for an MCP server with an authorization server. */
async function register(
  as: oauth.AuthorizationServer,
  { server, redirectUri }: { readonly server: McpServer; readonly redirectUri: string },
  timeoutMs: number,
): Promise<oauth.OmitSymbolProperties<oauth.Client>> {
  try {
    const response = await oauth.dynamicClientRegistrationRequest(
      as,
      {
        client_name: `${server.name} (Agent Harbor)`,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        // Authorization servers allow loopback addresses for native clients.
        application_type: 'native',
      },
      options(timeoutMs),
    );
    return await oauth.processDynamicClientRegistrationResponse(response);
  } catch (error) {
    if (isUnreachable(error)) throw unreachable(new URL(as.issuer), error);
    throw badRequest(`${as.issuer} did not register a client: ${messageOf(error)}`);
  }
}

/** The options of a request. The library does not follow redirects, whose targets would not be checked. */
function options(timeoutMs: number) {
  // `requireSafe` allows plain http only for this machine.
  return { [oauth.allowInsecureRequests]: true, signal: AbortSignal.timeout(timeoutMs) };
}

/** Whether a request failed because its server could not be reached or did not answer in time. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof DOMException) return error.name === 'TimeoutError';
  return error instanceof TypeError && error.cause !== undefined && 'code' in Object(error.cause);
}

function unreachable(url: URL, error: unknown): HttpError {
  return new HttpError(502, `Could not reach ${url.origin}: ${messageOf(error)}`);
}
