import { createServer, type Server } from 'node:http';
import { Provider } from 'oidc-provider';
import { portOf } from '../../../src/server/http/port-of.ts';

export interface OpenIdProvider extends AsyncDisposable {
  readonly url: string;
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The grant types that were requested at its token address, newest last. */
  readonly grants: string[];
  /** Why it refused tokens, newest last. */
  readonly refusals: string[];
}

/**
 * A real OpenID provider (`oidc-provider` of npm) on a free port, with its own pages for login and consent.
 * It accepts any user name.
 */
export async function openIdProvider(options: {
  redirectUris: readonly string[];
  accessTokenSeconds?: number;
}): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  const url = `http://127.0.0.1:${port}`;
  const client = { id: 'agent-harbor', secret: 'a client secret that must not be seen' };
  const grants: string[] = [];
  const refusals: string[] = [];
  const provider = new Provider(url, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...options.redirectUris],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    scopes: ['openid', 'offline_access', 'email', 'calendar'],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com` }),
    }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: { enabled: false },
    },
    cookies: { keys: ['a key of the test'] },
    ttl: { AccessToken: options.accessTokenSeconds ?? 3_600, RefreshToken: 86_400 },
    pkce: { required: () => true },
  });
  provider.on('grant.success', ({ oidc }) => grants.push(String(oidc.params?.grant_type)));
  provider.on('grant.error', (_context, error) => refusals.push(error.message));
  server.on('request', provider.callback());
  return {
    url,
    authUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    clientId: client.id,
    clientSecret: client.secret,
    grants,
    refusals,
    [Symbol.asyncDispose]: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
