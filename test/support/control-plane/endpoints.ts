import { bearerTokens } from '../../../src/contract/control-plane/bearer-tokens.ts';
import { deployments } from '../../../src/contract/control-plane/deployments.ts';
import { integrations, ownIntegrations } from '../../../src/contract/control-plane/integrations.ts';
import { listeners } from '../../../src/contract/control-plane/listeners.ts';
import { logs } from '../../../src/contract/control-plane/logs.ts';
import { oauthFlows, oauthRedirects } from '../../../src/contract/control-plane/oauth-flows.ts';
import { oauthProviders } from '../../../src/contract/control-plane/oauth-providers.ts';
import { agentConnections, oauthTokens } from '../../../src/contract/control-plane/oauth-tokens.ts';
import { revisions } from '../../../src/contract/control-plane/revisions.ts';
import { pushWebhooks } from '../../../src/contract/control-plane/webhooks.ts';
import { workspaceSecrets } from '../../../src/contract/control-plane/workspace-secrets.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';

/** Every endpoint of the control plane. */
export const controlPlaneEndpoints: readonly Endpoint[] = [
  deployments,
  revisions,
  logs,
  listeners,
  integrations,
  ownIntegrations,
  oauthProviders,
  oauthFlows,
  oauthRedirects,
  oauthTokens,
  agentConnections,
  pushWebhooks,
  workspaceSecrets,
  bearerTokens,
].flatMap((table): Endpoint[] => Object.values(table));
