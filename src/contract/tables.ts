import { a2a, mcp } from './agent-server/agents.ts';
import { archive } from './agent-server/archive.ts';
import { assistants } from './agent-server/assistants.ts';
import { crons } from './agent-server/crons.ts';
import { recordings } from './agent-server/exchanges.ts';
import { nodes } from './agent-server/nodes.ts';
import { protocol } from './agent-server/protocol.ts';
import { runs as agentRuns } from './agent-server/runs.ts';
import { store } from './agent-server/store.ts';
import { system } from './agent-server/system.ts';
import { threadStream, threads } from './agent-server/threads.ts';
import { ui } from './agent-server/ui.ts';
import { audit } from './audit.ts';
import { codingAgents } from './coding-agents.ts';
import { agentConnections } from './control-plane/agent-connections.ts';
import { bearerTokens } from './control-plane/bearer-tokens.ts';
import { deployments } from './control-plane/deployments.ts';
import { draining } from './control-plane/draining.ts';
import { integrations, ownIntegrations } from './control-plane/integrations.ts';
import { listeners } from './control-plane/listeners.ts';
import { logs } from './control-plane/logs.ts';
import { oauthFlows, oauthRedirects } from './control-plane/oauth-flows.ts';
import { oauthProviders } from './control-plane/oauth-providers.ts';
import { oauthTokens } from './control-plane/oauth-tokens.ts';
import { pausing } from './control-plane/pausing.ts';
import { pushWebhooks } from './control-plane/push-webhooks.ts';
import { revisionFiles } from './control-plane/revision-files.ts';
import { revisions } from './control-plane/revisions.ts';
import { workspaceSecrets } from './control-plane/workspace-secrets.ts';
import { comparisons } from './datasets/comparisons.ts';
import { datasets } from './datasets/datasets.ts';
import { examples, platformExamples } from './datasets/examples.ts';
import { experimentRuns, experimentRunsV2 } from './datasets/experiment-runs.ts';
import { debugging } from './debugging.ts';
import { evaluators } from './evaluators.ts';
import { harbor } from './harbor.ts';
import { identity } from './identity.ts';
import { platform } from './platform.ts';
import { purging } from './purging.ts';
import { feedback } from './tracing/feedback.ts';
import { feedbackConfigs } from './tracing/feedback-configs.ts';
import { info } from './tracing/info.ts';
import { otlp } from './tracing/otlp.ts';
import { prices } from './tracing/prices.ts';
import { rules } from './tracing/rules.ts';
import { runGroups, runQueries } from './tracing/run-queries.ts';
import { runs } from './tracing/runs.ts';
import { sessions } from './tracing/sessions.ts';
import { sharing, sharingV2 } from './tracing/sharing.ts';
import { workspaceLimits } from './workspace-limits.ts';

/**
 * Endpoints of a deployment. The table of rights and the tests go through all endpoints in the tables of
 * this file.
 */
export const agentServerTables = {
  archive,
  recordings,
  nodes,
  assistants,
  threads,
  threadStream,
  runs: agentRuns,
  crons,
  store,
  protocol,
  mcp,
  a2a,
  ui,
  system,
};

/** Endpoints for deployments and what belongs to them. */
export const controlPlaneTables = {
  deployments,
  pausing,
  draining,
  revisions,
  revisionFiles,
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
};

/** Endpoints for a workspace of the platform: tracing, datasets, purging and identity. */
export const tracingTables = {
  audit,
  comparisons,
  datasets,
  examples,
  platformExamples,
  experimentRuns,
  experimentRunsV2,
  feedback,
  feedbackConfigs,
  identity,
  prices,
  purging,
  rules,
  runGroups,
  runQueries,
  runs,
  sessions,
  sharing,
  sharingV2,
  workspaceLimits,
};

/** The platform's other endpoints. */
export const platformTables = { codingAgents, debugging, evaluators, harbor, info, otlp, platform };
