import { TRACES_SCHEMA } from '../traces/traces-tables.ts';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';

const WORKSPACE = 'workspace_id = $1';
const DEPLOYMENT = 'deployment_id in (select id from deployments where workspace_id = $1)';
const THREAD = `thread_id in (select thread_id from threads where ${DEPLOYMENT})`;
const IN_WORKSPACE = `workspace = (select key from ${TRACES_SCHEMA}.workspaces where id = $1)`;
const amongTraces = (column: string, table: string, key = 'key') =>
  `${column} in (select ${key} from ${TRACES_SCHEMA}.${table} where ${IN_WORKSPACE})`;

/**
 * Tables that are not copied, because the team keeps the workspace. Waiting webhooks would be delivered twice. Most
 * providers accept a refresh token only once, so the first side to use one would end the other's sign-ins.
 */
const STAYING = ['webhooks', 'oauth_tokens', 'oauth_flows', 'agent_connections'] as const;
/** A table whose rows are moved with a workspace. */
export type WorkspaceTable = Exclude<MovedTable, (typeof STAYING)[number]>;
export const WORKSPACE_TABLES = MOVED_TABLES.filter(
  (table): table is WorkspaceTable => !STAYING.some((staying) => staying === table),
);
/** The sign-ins of the workspace, which are counted to tell the user that they stay with the team. */
export const SIGN_INS = { table: 'oauth_tokens', where: WORKSPACE } as const;

/** SQL conditions by table, for the rows in a team's database that belong to the workspace with the ID `$1`. */
export const WORKSPACE_ROWS: Readonly<Record<WorkspaceTable, string>> = {
  organizations: 'id = (select organization_id from workspaces where id = $1)',
  workspaces: 'id = $1',
  audit_events: WORKSPACE,
  api_keys: 'id in (select api_key_id from api_key_workspaces where workspace_id = $1)',
  api_key_workspaces: WORKSPACE,
  bearer_tokens: WORKSPACE,
  workspace_secrets: WORKSPACE,
  listeners: WORKSPACE,
  github_integrations: WORKSPACE,
  // A provider of the organization belongs to each of its workspaces.
  oauth_providers: `${WORKSPACE} or (workspace_id is null and organization_id = (select organization_id from workspaces where id = $1))`,
  deployments: WORKSPACE,
  revisions: DEPLOYMENT,
  secret_sets: DEPLOYMENT,
  deployment_logs: DEPLOYMENT,
  uploads: DEPLOYMENT,
  assistants: DEPLOYMENT,
  assistant_versions: DEPLOYMENT,
  threads: DEPLOYMENT,
  thread_metadata: DEPLOYMENT,
  histories: THREAD,
  runs: DEPLOYMENT,
  run_events: `run_id in (select run_id from runs where ${DEPLOYMENT})`,
  daily_costs: DEPLOYMENT,
  checkpoints: THREAD,
  checkpoint_blobs: THREAD,
  checkpoint_writes: THREAD,
  exchanges: THREAD,
  exchange_parts: THREAD,
  replays: THREAD,
  store_items: DEPLOYMENT,
  store_vectors: DEPLOYMENT,
  crons: DEPLOYMENT,
  [`${TRACES_SCHEMA}.workspaces`]: 'id = $1',
  [`${TRACES_SCHEMA}.sessions`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.traces`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.runs`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.payload_blocks`]: amongTraces('trace', 'traces'),
  [`${TRACES_SCHEMA}.attachments`]: amongTraces('trace', 'traces'),
  [`${TRACES_SCHEMA}.labels`]: amongTraces('session', 'sessions'),
  [`${TRACES_SCHEMA}.run_labels`]: amongTraces('run', 'runs'),
  [`${TRACES_SCHEMA}.early_patches`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.early_spans`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.early_logs`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.feedback`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.feedback_tokens`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.feedback_configs`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.retention_settings`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.purge_jobs`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.purge_targets`]: amongTraces('job', 'purge_jobs', 'id'),
  [`${TRACES_SCHEMA}.purge_runs`]: amongTraces('job', 'purge_jobs', 'id'),
  [`${TRACES_SCHEMA}.purged_traces`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.purge_audit`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.purge_settings`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.datasets`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.dataset_versions`]: amongTraces('dataset', 'datasets'),
  [`${TRACES_SCHEMA}.dataset_tags`]: amongTraces('dataset', 'datasets'),
  [`${TRACES_SCHEMA}.example_versions`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.example_files`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.shares`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.comparisons`]: IN_WORKSPACE,
  [`${TRACES_SCHEMA}.run_rules`]: IN_WORKSPACE,
  // Queued rules only extend how long each side keeps its own copy of a trace; they do not start anything else.
  [`${TRACES_SCHEMA}.rule_queue`]: IN_WORKSPACE,
};

/**
 * The condition for large payloads. Their rows name only the ID of a trace, which a trace of another workspace may have
 * too, so the rows of the workspace must also refer to them.
 */
export const WORKSPACE_BLOBS = `(${amongTraces('trace', 'traces', 'id')} and (
  name in (select blob from ${TRACES_SCHEMA}.attachments where ${amongTraces('trace', 'traces')} and blob is not null)
  or name in (select place ->> 'blob' from ${TRACES_SCHEMA}.runs, jsonb_each(payloads::jsonb) as payload (kind, place)
    where ${IN_WORKSPACE} and payloads like '%"blob"%' and jsonb_typeof(place) = 'object')))`;
