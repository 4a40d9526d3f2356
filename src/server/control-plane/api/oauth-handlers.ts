import type { ServerResponse } from 'node:http';
import type {
  oauthFlows as flowEndpoints,
  oauthRedirects as redirectEndpoints,
} from '../../../contract/control-plane/oauth-flows.ts';
import type { oauthProviders as providerEndpoints } from '../../../contract/control-plane/oauth-providers.ts';
import { HttpError } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import { discoverMcpProvider } from '../oauth/mcp-discovery.ts';
import type { ProviderStore } from '../oauth/provider-store.ts';
import type { Redirect, SignIns } from '../oauth/sign-ins.ts';
import { callbackPage } from './callback-page.ts';

/**
 * OAuth providers of the caller's organization (docs/interface/control-plane.md#oauth). No response contains the client
 * secret. An unknown provider is 404, an existing ID 409, an invalid field 422.
 */
export function providerHandlers(
  providers: ProviderStore,
  redirectUri: (providerId: string) => string,
): Handlers<typeof providerEndpoints> {
  return {
    list: ({ caller }) => providers.list(caller.organizationId),
    create: ({ caller, body }) => providers.create(caller, body),
    discoverMcp: async ({ caller, body }) => {
      const found = await discoverMcpProvider(body, redirectUri(body.provider_id));
      return providers.create(caller, found, { mcpServerUrl: body.mcp_server_url });
    },
    get: ({ caller, params }) => providers.get(caller.organizationId, params.provider_id),
    update: ({ caller, params, body }) => providers.update(caller, params.provider_id, body),
    delete: async ({ caller, params }) => {
      await providers.delete(caller, params.provider_id);
      return { deleted: params.provider_id };
    },
  };
}

/**
 * Sign-ins: a graph requests one to get a token (`authenticate`), waits for the user (`wait`, with a timeout in seconds),
 * and `finalize` ends it with the provider's code and state (docs/interface/control-plane.md#oauth).
 */
export function flowHandlers(signIns: SignIns): Handlers<typeof flowEndpoints> {
  return {
    authenticate: ({ caller, body }) => signIns.authenticate(caller, body),
    wait: ({ caller, params, query, signal }) =>
      signIns.wait(caller, params.auth_id, query.timeout * 1_000, signal),
    finalize: async ({ caller, params, body }) => {
      const { flow } = await signIns.finish(params.provider_id, body, caller);
      return { status: 'completed', auth_id: flow.id };
    },
  };
}

/** Ends a sign-in when the provider redirects the browser here, and shows the outcome on a page. */
export function redirectHandlers(signIns: SignIns): Handlers<typeof redirectEndpoints> {
  async function finish(providerId: string, redirect: Redirect, response: ServerResponse): Promise<void> {
    // The URL contains the code and the state, so it must not leak as a referrer.
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cache-control', 'no-store');
    response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'");
    try {
      const { provider } = await signIns.finish(providerId, redirect);
      response.end(
        callbackPage(`Signed in to ${provider.name}`, 'You can close this window and return to your work.'),
      );
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      response.statusCode = error.status;
      response.end(callbackPage('Not signed in', error.message));
    }
  }

  return {
    callback: ({ params, query }, response) => finish(params.provider_id, query, response),
    hostCallback: ({ params, query }, response) => finish(params.provider_id, query, response),
    setup: async ({ params, query }, response) => {
      if (query.state !== undefined) return finish(params.provider_id, query, response);
      response.end(callbackPage('Installed', 'The app is installed. You can close this window.'));
    },
  };
}
