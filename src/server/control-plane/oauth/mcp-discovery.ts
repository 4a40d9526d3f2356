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

export interface McpServer {
  readonly provider_id: string;
  readonly name: string;
  readonly mcp_server_url: string;
}

/**
 * Finds out how to sign in to an MCP server, following the MCP specification: protected resource metadata, the
 * authorization server's own metadata, and a client registered for the purpose.
 * @throws HttpError 400 for a server without this information, 502 for one that does not answer.
 */
export async function discoverMcpProvider(
  server: McpServer,
  redirectUri: string,
): Promise<OAuthProviderCreate> {
  const resource = new URL(server.mcp_server_url);
  const issuer = requireSafe(await discoverIssuer(resource), resource);
  const as = await discoverMetadata(issuer);
  if (as.authorization_endpoint === undefined || as.token_endpoint === undefined) {
    throw badRequest(`${issuer.href} has no sign-in endpoints.`);
  }
  if (as.registration_endpoint === undefined) {
    throw badRequest(
      `${issuer.href} does not support client registration. Create the provider with your own client ID.`,
    );
  }
  requireSafe(as.registration_endpoint, issuer);
  const client = await register(as, server, redirectUri);
  const method = TokenEndpointAuthMethod.safeParse(client.token_endpoint_auth_method);
  const created = OAuthProviderCreateSchema.safeParse({
    provider_id: server.provider_id,
    name: server.name,
    client_id: client.client_id,
    client_secret: typeof client.client_secret === 'string' ? client.client_secret : null,
    auth_url: as.authorization_endpoint,
    token_url: as.token_endpoint,
    uses_pkce: true,
    code_challenge_method: 'S256',
    token_endpoint_auth_method: method.success ? method.data : 'none',
  });
  if (!created.success) throw badRequest(`${issuer.href} returned URLs that are not safe to use.`);
  return created.data;
}

/** URLs from metadata must also use TLS, or be on this machine. @throws HttpError 400 */
function requireSafe<Address extends URL | string>(address: Address, named: URL): Address {
  if (isSafeEndpoint(String(address))) return address;
  throw badRequest(
    `${named.origin} returned the URL ${address}, which is neither https nor on this machine.`,
  );
}

async function discoverIssuer(resource: URL): Promise<URL> {
  try {
    const response = await oauth.resourceDiscoveryRequest(resource, options());
    const { authorization_servers: servers } = await oauth.processResourceDiscoveryResponse(
      resource,
      response,
    );
    const [first] = servers ?? [];
    if (first !== undefined) return new URL(first);
  } catch (error) {
    if (isUnreachable(error)) throw cannotBeAsked(resource, error);
    // Servers of MCP 2025-03-26 publish no metadata and are their own authorization server.
  }
  return new URL(resource.origin);
}

async function discoverMetadata(issuer: URL): Promise<oauth.AuthorizationServer> {
  let failure: unknown;
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...options() });
      return await oauth.processDiscoveryResponse(issuer, response);
    } catch (error) {
      failure = error;
    }
  }
  if (isUnreachable(failure)) throw cannotBeAsked(issuer, failure);
  throw badRequest(`${issuer.href} does not describe how to sign in: ${messageOf(failure)}`);
}

async function register(
  as: oauth.AuthorizationServer,
  server: McpServer,
  redirectUri: string,
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
        // A native client, because authorization servers allow loopback addresses for those.
        application_type: 'native',
      },
      options(),
    );
    return await oauth.processDynamicClientRegistrationResponse(response);
  } catch (error) {
    throw badRequest(`${as.issuer} did not register a client: ${messageOf(error)}`);
  }
}

function options() {
  // Plain http is only allowed to this machine. Redirects are not followed, because their targets are not checked.
  return { [oauth.allowInsecureRequests]: true, signal: AbortSignal.timeout(TIMEOUT_MS) };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && error.cause !== undefined && 'code' in Object(error.cause);
}

function cannotBeAsked(url: URL, error: unknown): HttpError {
  return new HttpError(502, `Could not reach ${url.origin}: ${messageOf(error)}`);
}
