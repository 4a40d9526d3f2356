import type { StateDatabase } from '../../storage/state-database.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { AgentConnections } from './agent-connections.ts';
import { FlowStore } from './flow-store.ts';
import { OAuthClient } from './oauth-client.ts';
import { ProviderStore } from './provider-store.ts';
import { SignIns } from './sign-ins.ts';
import { TokenRefresh } from './token-refresh.ts';
import { TokenStore } from './token-store.ts';

/** OAuth providers, sign-ins, tokens, and agents' connections. */
interface OAuthParts {
  readonly providers: ProviderStore;
  readonly signIns: SignIns;
  readonly tokens: TokenStore;
  readonly connections: AgentConnections;
}

/** Creates the OAuth parts of a control plane. @param options `baseUrl` is the platform's address for clients. */
export function makeOAuth(options: { db: StateDatabase; box: SecretBox; baseUrl: () => string }): OAuthParts {
  const { db, box, baseUrl } = options;
  const providers = new ProviderStore(db, box);
  const tokens = new TokenStore(db, box);
  const client = new OAuthClient(providers);
  const connections = new AgentConnections(db, tokens);
  const signIns = new SignIns({
    providers,
    tokens,
    flows: new FlowStore(db, box),
    client,
    refresh: new TokenRefresh(tokens, client, db),
    connections,
    bus: db.bus,
    baseUrl,
  });
  return { providers, signIns, tokens, connections };
}
