import { agentConnections } from '../contract/control-plane/agent-connections.ts';
import { bearerTokens } from '../contract/control-plane/bearer-tokens.ts';
import { deployments } from '../contract/control-plane/deployments.ts';
import { draining } from '../contract/control-plane/draining.ts';
import { integrations, ownIntegrations } from '../contract/control-plane/integrations.ts';
import { listeners } from '../contract/control-plane/listeners.ts';
import { logs } from '../contract/control-plane/logs.ts';
import { oauthFlows } from '../contract/control-plane/oauth-flows.ts';
import { oauthProviders } from '../contract/control-plane/oauth-providers.ts';
import { oauthTokens } from '../contract/control-plane/oauth-tokens.ts';
import { pausing } from '../contract/control-plane/pausing.ts';
import { pushWebhooks } from '../contract/control-plane/push-webhooks.ts';
import { revisionFiles } from '../contract/control-plane/revision-files.ts';
import { revisions } from '../contract/control-plane/revisions.ts';
import { bind, type Calls } from './calls.ts';
import { addressBelow } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Deployments with their revisions and logs, and the integrations and OAuth providers that they use. */
export interface ControlPlane {
  readonly deployments: Calls<typeof deployments>;
  /** Agent Harbor only. */
  readonly pausing: Calls<typeof pausing>;
  /** Agent Harbor only. */
  readonly draining: Calls<typeof draining>;
  readonly revisions: Calls<typeof revisions>;
  /** Agent Harbor only. */
  readonly revisionFiles: Calls<typeof revisionFiles>;
  readonly deploymentLogs: Calls<typeof logs>;
  readonly listeners: Calls<typeof listeners>;
  readonly integrations: Calls<typeof integrations>;
  /** Agent Harbor only. */
  readonly ownIntegrations: Calls<typeof ownIntegrations>;
  readonly oauthProviders: Calls<typeof oauthProviders>;
  readonly oauthFlows: Calls<typeof oauthFlows>;
  readonly oauthTokens: Calls<typeof oauthTokens>;
  readonly agentConnections: Calls<typeof agentConnections>;
  readonly bearerTokens: Calls<typeof bearerTokens>;
  /** Agent Harbor only. */
  readonly pushWebhooks: Pick<Calls<typeof pushWebhooks>, 'get'>;
}

/**
 * @param controlPlaneUrl such as `https://agents.example.com/api-host`: the prefix of the contract's paths
 */
export function controlPlane(transport: Transport, controlPlaneUrl: string): ControlPlane {
  const options = {
    transport,
    address: (path: string) => addressBelow(controlPlaneUrl, path),
    stream: (first: EventStream) => first,
  };
  return {
    deployments: bind(deployments, options),
    pausing: bind(pausing, options),
    draining: bind(draining, options),
    revisions: bind(revisions, options),
    revisionFiles: bind(revisionFiles, options),
    deploymentLogs: bind(logs, options),
    listeners: bind(listeners, options),
    integrations: bind(integrations, options),
    ownIntegrations: bind(ownIntegrations, options),
    oauthProviders: bind(oauthProviders, options),
    oauthFlows: bind(oauthFlows, { ...options, noTimeout: ['wait'] }),
    oauthTokens: bind(oauthTokens, options),
    agentConnections: bind(agentConnections, options),
    bearerTokens: bind(bearerTokens, options),
    pushWebhooks: bind(pushWebhooks, options),
  };
}
