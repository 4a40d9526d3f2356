import { bearerTokens as bearerTokenEndpoints } from '../../contract/control-plane/bearer-tokens.ts';
import { deployments as deploymentEndpoints } from '../../contract/control-plane/deployments.ts';
import {
  integrations as integrationEndpoints,
  ownIntegrations as ownIntegrationEndpoints,
} from '../../contract/control-plane/integrations.ts';
import { listeners as listenerEndpoints } from '../../contract/control-plane/listeners.ts';
import { logs as logEndpoints } from '../../contract/control-plane/logs.ts';
import { revisions as revisionEndpoints } from '../../contract/control-plane/revisions.ts';
import { pushWebhooks as pushWebhookEndpoints } from '../../contract/control-plane/webhooks.ts';
import { workspaceSecrets as workspaceSecretEndpoints } from '../../contract/control-plane/workspace-secrets.ts';
import type { Router } from '../http/router.ts';
import type { Identity } from '../identity/identity.ts';
import { deploymentHandlers } from './deployments/deployment-handlers.ts';
import { integrationHandlers, ownIntegrationHandlers } from './integrations/integration-handlers.ts';
import { listenerHandlers } from './listeners/listener-handlers.ts';
import { ListenerStore } from './listeners/listener-store.ts';
import { logHandlers } from './logs/log-handlers.ts';
import type { ControlPlaneParts } from './make-parts.ts';
import { mountOAuth } from './oauth/oauth-service.ts';
import { pushHandlers } from './push/push-handlers.ts';
import { Pushes } from './push/pushes.ts';
import { revisionHandlers } from './revisions/revision-handlers.ts';
import { WorkspaceSecrets, workspaceSecretHandlers } from './secrets/workspace-secrets.ts';

/** Where public clients look for the control plane: at the root, and where self-hosted installations have it. */
const PREFIXES = ['', '/api-host'];

export interface RouteOptions {
  readonly identity: Identity;
  /** The platform's address. */
  baseUrl(): string;
}

export function mountControlPlane(
  router: Router,
  { identity, baseUrl }: RouteOptions,
  parts: ControlPlaneParts,
): void {
  const { box, stores, github, added, pipeline, deployments } = parts;
  const { db, revisions, logs, uploads } = stores;
  const pushes = new Pushes({ deployments, added, store: stores.deployments, revisions, box, baseUrl });
  mountOAuth(router, { db, box, baseUrl, prefixes: PREFIXES });
  router
    .mount(deploymentEndpoints, deploymentHandlers(deployments, uploads), PREFIXES)
    .mount(revisionEndpoints, revisionHandlers(deployments, revisions, pipeline), PREFIXES)
    .mount(logEndpoints, logHandlers(deployments, logs), PREFIXES)
    .mount(listenerEndpoints, listenerHandlers(new ListenerStore(db)), PREFIXES)
    .mount(integrationEndpoints, integrationHandlers(github), PREFIXES)
    .mount(ownIntegrationEndpoints, ownIntegrationHandlers(github))
    .mount(workspaceSecretEndpoints, workspaceSecretHandlers(new WorkspaceSecrets(db, box)), ['', '/api/v1'])
    .mount(pushWebhookEndpoints, pushHandlers(pushes))
    .mount(bearerTokenEndpoints, {
      create: async ({ caller, body }) => {
        const made = await identity.createBearerToken(caller, body.expires_in_seconds * 1_000);
        return { access_token: made.token, token_type: 'bearer', expires_at: made.expiresAt };
      },
    });
}
