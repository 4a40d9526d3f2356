import { agentConnections } from '../../contract/control-plane/agent-connections.ts';
import { deployments } from '../../contract/control-plane/deployments.ts';
import { draining } from '../../contract/control-plane/draining.ts';
import { ownIntegrations } from '../../contract/control-plane/integrations.ts';
import { listeners } from '../../contract/control-plane/listeners.ts';
import { oauthProviders } from '../../contract/control-plane/oauth-providers.ts';
import { oauthTokens } from '../../contract/control-plane/oauth-tokens.ts';
import { pausing } from '../../contract/control-plane/pausing.ts';
import { revisions } from '../../contract/control-plane/revisions.ts';
import { workspaceSecrets } from '../../contract/control-plane/workspace-secrets.ts';
import { datasets } from '../../contract/datasets/datasets.ts';
import { platformExamples } from '../../contract/datasets/examples.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { identity } from '../../contract/identity.ts';
import { purging } from '../../contract/purging.ts';
import { sessions } from '../../contract/tracing/sessions.ts';
import { sharing, sharingV2 } from '../../contract/tracing/sharing.ts';
import { workspaceLimits } from '../../contract/workspace-limits.ts';

/** An action that is audited. */
export interface AuditedAction {
  readonly action: string;
  /**
   * The recorded fields of the query and the body, in addition to the parameters of the path. Other fields of
   * a body may contain secrets.
   */
  readonly fields: readonly string[];
}

const GRANT = ['description', 'rights', 'projects', 'workspaces'];
const LIMITS = [
  'max_unfinished_runs',
  'max_threads',
  'max_storage_bytes',
  'max_ingestions_per_minute',
  'max_ingestion_bytes',
  'audit_days',
];
const RETENTION = ['default_trace_tier', 'shortlived_ttl_days', 'longlived_ttl_days', 'ttl_days'];
// `metadata` may be content of traces, so it is left out.
const PURGE = ['session_id', 'trace_ids', 'before', 'start_time', 'delete_examples', 'dry_run'];

type Row = readonly [action: string, endpoint: Endpoint, fields?: readonly string[]];
const ROWS: readonly Row[] = [
  ['organization.create', identity.createOrganization, ['display_name']],
  ['workspace.create', identity.createWorkspace, ['display_name']],
  ['workspace.rename', identity.renameWorkspace, ['display_name']],
  ['workspace.delete', identity.deleteWorkspace],
  ['key.create', identity.createKey, GRANT],
  ['key.narrow', identity.narrowKey, GRANT],
  ['key.rotate', identity.rotateKey, ['overlap_seconds']],
  ['key.revoke', identity.revokeKey],
  ['limits.set', workspaceLimits.set, LIMITS],
  ['deployment.create', deployments.create, ['name', 'source']],
  ['deployment.update', deployments.update],
  ['deployment.delete', deployments.delete, ['delete_tracing_project']],
  ['deployment.delete', deployments.deleteMany, ['deployment_ids']],
  ['deployment.upload', deployments.uploadUrl],
  ['deployment.pause', pausing.pause],
  ['deployment.resume', pausing.resume],
  ['revision.redeploy', revisions.redeploy],
  ['revision.interrupt', revisions.interrupt],
  ['revision.end-draining', draining.end],
  ['secret.set', workspaceSecrets.set, ['key']],
  ['secret.set', workspaceSecrets.put],
  ['secret.delete', workspaceSecrets.delete],
  ['integration.create', ownIntegrations.create, ['name']],
  ['integration.delete', ownIntegrations.delete],
  ['listener.create', listeners.create],
  ['listener.update', listeners.update],
  ['listener.delete', listeners.delete],
  ['provider.create', oauthProviders.create, ['provider_id', 'name']],
  ['provider.update', oauthProviders.update],
  ['provider.delete', oauthProviders.delete],
  ['sign-in.delete', oauthTokens.deleteAll, ['provider_id', 'user_id']],
  ['sign-in.delete', oauthTokens.deleteSlack],
  ['sign-in.delete', oauthTokens.delete],
  ['connection.delete', agentConnections.delete],
  ['purge.request', purging.deleteRuns, PURGE],
  ['purge.request', purging.deleteTraces, PURGE],
  ['purge.settings', purging.putSettings, ['schedule', 'timezone']],
  ['retention.set', purging.putTtl, RETENTION],
  ['retention.set', purging.putOrganizationTtl, RETENTION],
  ['retention.set', purging.putWorkspaceTtl, RETENTION],
  ['dataset.delete', datasets.delete],
  ['example.delete', platformExamples.deleteBatch, ['example_ids', 'hard_delete']],
  ['project.delete', sessions.delete],
  ['project.delete', sessions.deleteMany, ['session_ids']],
  ['share.create', sharing.shareRun],
  ['share.create', sharing.shareDataset],
  ['share.create', sharingV2.share],
  ['share.delete', sharing.unshareRun],
  ['share.delete', sharing.unshareDataset],
  ['share.delete', sharingV2.unshare],
];

const ACTIONS: ReadonlyMap<Endpoint, AuditedAction> = new Map(
  ROWS.map(([action, endpoint, fields = []]) => [endpoint, { action, fields }]),
);

/** The audited action of an endpoint; undefined if it is not audited. */
export function auditedAction(endpoint: Endpoint): AuditedAction | undefined {
  return ACTIONS.get(endpoint);
}
