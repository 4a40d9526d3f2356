import { oauthFlows, oauthRedirects } from '../../../contract/control-plane/oauth-flows.ts';
import { oauthProviders } from '../../../contract/control-plane/oauth-providers.ts';
import { agentConnections, oauthTokens } from '../../../contract/control-plane/oauth-tokens.ts';
import type { Router } from '../../http/router.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { AgentConnections } from './agent-connections.ts';
import { FlowStore } from './flow-store.ts';
import { FreshTokens } from './fresh-tokens.ts';
import { OAuthClient } from './oauth-client.ts';
import {
  connectionHandlers,
  flowHandlers,
  providerHandlers,
  redirectHandlers,
  tokenHandlers,
} from './oauth-handlers.ts';
import { ProviderStore } from './provider-store.ts';
import { SignIns } from './sign-ins.ts';
import { TokenStore } from './token-store.ts';

/** Serves OAuth providers, sign-ins, tokens and agents' connections. */
export function mountOAuth(
  router: Router,
  options: { db: StateDatabase; box: SecretBox; baseUrl: () => string; prefixes: readonly string[] },
): void {
  const { db, box, baseUrl, prefixes } = options;
  const providers = new ProviderStore(db, box);
  const tokens = new TokenStore(db, box);
  const client = new OAuthClient(providers);
  const connections = new AgentConnections(db, tokens);
  const signIns = new SignIns({
    providers,
    tokens,
    flows: new FlowStore(db, box),
    client,
    fresh: new FreshTokens(tokens, client),
    connections,
    baseUrl,
  });
  const redirectUri = (id: string) => `${baseUrl()}/host-oauth-callback/${encodeURIComponent(id)}`;
  router
    .mount(oauthProviders, providerHandlers(providers, redirectUri), prefixes)
    .mount(oauthFlows, flowHandlers(signIns), prefixes)
    .mount(oauthRedirects, redirectHandlers(signIns), prefixes)
    .mount(oauthTokens, tokenHandlers(tokens), prefixes)
    .mount(agentConnections, connectionHandlers(connections), prefixes);
}
