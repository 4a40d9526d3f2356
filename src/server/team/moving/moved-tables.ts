import type { StateSchema } from '../../storage/state-schema.ts';
import type { TracesSchema } from '../../tracing/database/traces-schema.ts';
import { TRACES_SCHEMA } from '../traces/traces-tables.ts';

/** The tables of `state.db` that are moved, each after those that its rows refer to. */
const STATE_TABLES = [
  'organizations',
  'workspaces',
  'audit_events',
  'api_keys',
  'api_key_workspaces',
  'bearer_tokens',
  'workspace_secrets',
  'listeners',
  'github_integrations',
  'oauth_providers',
  'oauth_tokens',
  'oauth_flows',
  'agent_connections',
  'deployments',
  'revisions',
  'secret_sets',
  'deployment_logs',
  'uploads',
  'assistants',
  'assistant_versions',
  'threads',
  'thread_metadata',
  'histories',
  'runs',
  'run_events',
  'daily_costs',
  'checkpoints',
  'checkpoint_blobs',
  'checkpoint_writes',
  'exchanges',
  'exchange_parts',
  'replays',
  'store_items',
  'store_vectors',
  'crons',
  'webhooks',
] as const satisfies readonly (keyof StateSchema)[];

/** The tables of `traces.db` that are moved. */
const TRACES_TABLES = [
  'workspaces',
  'sessions',
  'traces',
  'runs',
  'payload_blocks',
  'attachments',
  'labels',
  'run_labels',
  'early_patches',
  'early_spans',
  'early_logs',
  'feedback',
  'feedback_tokens',
  'feedback_configs',
  'retention_settings',
  'purge_jobs',
  'purge_targets',
  'purge_runs',
  'purged_traces',
  'purge_audit',
  'purge_settings',
  'datasets',
  'dataset_versions',
  'dataset_tags',
  'example_versions',
  'example_files',
  'shares',
  'comparisons',
  'run_rules',
  'rule_queue',
] as const satisfies readonly (keyof TracesSchema)[];

type StateTable = (typeof STATE_TABLES)[number];
type TracesTable = `${typeof TRACES_SCHEMA}.${(typeof TRACES_TABLES)[number]}`;
export type MovedTable = StateTable | TracesTable;

export const MOVED_TABLES: readonly MovedTable[] = [
  ...STATE_TABLES,
  ...TRACES_TABLES.map((name) => `${TRACES_SCHEMA}.${name}` as const),
];

/**
 * Tables of `state.db` that are not moved, because they contain ports and checks of a machine, or counts and notes of a
 * database.
 */
export const KEPT_TABLES = ['settings', 'thread_counts', 'migrations', 'migrations_lock'] as const;

/**
 * Tables of `traces.db` that are not moved: the index of words, which is rebuilt, its progress, and the
 * records of migrations.
 */
export const KEPT_TRACES_TABLES = ['marks', 'runs_words', 'migrations', 'migrations_lock'] as const;

/** Whether a table belongs to traces. */
export function isOfTraces(table: MovedTable): table is TracesTable {
  return table.startsWith(`${TRACES_SCHEMA}.`);
}

/** The name of a table in SQL. */
export function quoted(table: string): string {
  return table
    .split('.')
    .map((name) => `"${name}"`)
    .join('.');
}
