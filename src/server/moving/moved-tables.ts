import type { StateSchema } from '../storage/state-schema.ts';

/** The tables that move, each behind those that its rows refer to. */
export const MOVED_TABLES = [
  'organizations',
  'workspaces',
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
  'runs',
  'run_events',
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

export type MovedTable = (typeof MOVED_TABLES)[number];

/** What stays: ports and checks of a machine, and what each database counts and remembers itself. */
export const KEPT_TABLES = ['settings', 'thread_counts', 'migrations', 'migrations_lock'] as const;
