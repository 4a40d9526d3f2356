import { agentConnections } from '../../../contract/control-plane/agent-connections.ts';
import { bearerTokens as bearerTokenEndpoints } from '../../../contract/control-plane/bearer-tokens.ts';
import { deployments as deploymentEndpoints } from '../../../contract/control-plane/deployments.ts';
import { draining } from '../../../contract/control-plane/draining.ts';
import {
  integrations as integrationEndpoints,
  ownIntegrations as ownIntegrationEndpoints,
} from '../../../contract/control-plane/integrations.ts';
import { listeners as listenerEndpoints } from '../../../contract/control-plane/listeners.ts';
import { logs as logEndpoints } from '../../../contract/control-plane/logs.ts';
import { oauthFlows, oauthRedirects } from '../../../contract/control-plane/oauth-flows.ts';
import { oauthProviders } from '../../../contract/control-plane/oauth-providers.ts';
import { oauthTokens } from '../../../contract/control-plane/oauth-tokens.ts';
import { pausing } from '../../../contract/control-plane/pausing.ts';
import { pushWebhooks as pushWebhookEndpoints } from '../../../contract/control-plane/push-webhooks.ts';
import { revisionFiles as revisionFileEndpoints } from '../../../contract/control-plane/revision-files.ts';
import { revisions as revisionEndpoints } from '../../../contract/control-plane/revisions.ts';
import { workspaceSecrets as workspaceSecretEndpoints } from '../../../contract/control-plane/workspace-secrets.ts';
import type { Router } from '../../http/router.ts';
import type { Identity } from '../../identity/identity.ts';
import { ListenerStore } from '../data/listener-store.ts';
import { Pushes } from '../deployments/pushes.ts';
import type { ControlPlaneParts } from '../make-parts.ts';
import { makeOAuth } from '../oauth/make-oauth.ts';
import { WorkspaceSecrets } from '../secrets/workspace-secrets.ts';
import { bearerTokenHandlers } from './bearer-token-handlers.ts';
import { deploymentHandlers } from './deployment-handlers.ts';
import { integrationHandlers, ownIntegrationHandlers } from './integration-handlers.ts';
import { listenerHandlers } from './listener-handlers.ts';
import { logHandlers } from './log-handlers.ts';
import { flowHandlers, providerHandlers, redirectHandlers } from './oauth-handlers.ts';
import { connectionHandlers, tokenHandlers } from './oauth-token-handlers.ts';
import { pausingHandlers } from './pausing-handlers.ts';
import { pushHandlers } from './push-handlers.ts';
import { revisionFileHandlers } from './revision-file-handlers.ts';
import { revisionHandlers } from './revision-handlers.ts';
import { workspaceSecretHandlers } from './workspace-secret-handlers.ts';

/**
 * The prefixes of the paths at which public clients expect the control plane: none, and that of self-hosted
 * installations.
 */
const PREFIXES = ['', '/api-host'];

/** The prefixes of the paths at which langsmith's client expects the secrets of workspaces. */
const SECRET_PREFIXES = ['', '/api/v1'];

export interface RouteOptions {
  readonly identity: Identity;
  /** The platform's address. */
  baseUrl(): string;
}

/** Adds the endpoints of the control plane to the platform's router. */
export function mountControlPlane(
  router: Router,
  { identity, baseUrl }: RouteOptions,
  parts: ControlPlaneParts,
): void {
  const { box, stores, github, newRevisions, pipeline, deployments, sources, draining: drains } = parts;
  const { db, revisions, logs, uploads } = stores;
  const pushes = new Pushes({
    deployments,
    newRevisions,
    store: stores.deployments,
    revisions,
    box,
    baseUrl,
  });
  const oauth = makeOAuth({ db, box, baseUrl });
  const redirectUri = (providerId: string) => oauth.signIns.redirectUri(providerId);
  router
    .mount(deploymentEndpoints, deploymentHandlers(deployments, uploads), PREFIXES)
    .mount(pausing, pausingHandlers(deployments), PREFIXES)
    .mount(
      { ...revisionEndpoints, ...draining },
      revisionHandlers(deployments, revisions, pipeline, drains),
      PREFIXES,
    )
    .mount(revisionFileEndpoints, revisionFileHandlers(deployments, sources), PREFIXES)
    .mount(logEndpoints, logHandlers(deployments, logs), PREFIXES)
    .mount(listenerEndpoints, listenerHandlers(new ListenerStore(db)), PREFIXES)
    .mount(integrationEndpoints, integrationHandlers(github), PREFIXES)
    .mount(ownIntegrationEndpoints, ownIntegrationHandlers(github))
    .mount(workspaceSecretEndpoints, workspaceSecretHandlers(new WorkspaceSecrets(db, box)), SECRET_PREFIXES)
    .mount(oauthProviders, providerHandlers(oauth.providers, redirectUri), PREFIXES)
    .mount(oauthFlows, flowHandlers(oauth.signIns), PREFIXES)
    .mount(oauthRedirects, redirectHandlers(oauth.signIns), PREFIXES)
    .mount(oauthTokens, tokenHandlers(oauth.tokens), PREFIXES)
    .mount(agentConnections, connectionHandlers(oauth.connections), PREFIXES)
    .mount(pushWebhookEndpoints, pushHandlers(pushes))
    .mount(bearerTokenEndpoints, bearerTokenHandlers(identity));
}
