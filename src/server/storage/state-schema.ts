import type { ColumnType, Generated } from 'kysely';
import type { MultitaskStrategy, RunStatus } from '../../contract/agent-server/runs.ts';
import type { ThreadStatus } from '../../contract/agent-server/threads.ts';
import type { DeploymentSource } from '../../contract/control-plane/sources.ts';
import type { JsonObject } from '../../contract/fields.ts';
import type { ControlPlaneSchema } from './control-plane-schema.ts';
import type { StoredJson } from './stored-json.ts';

/** ISO 8601 in UTC with milliseconds, so that text order is time order. */
type Time = string;
type Flag = ColumnType<number, number | boolean, number | boolean>;
/** Text of a serializer that writes text, bytes of one that does not. */
type SerializedData = string | Uint8Array;

export interface OrganizationTable {
  id: string;
  name: string;
  created_at: Time;
}

export interface WorkspaceTable {
  id: string;
  organization_id: string;
  name: string;
  /** The owner's limits for it; null for no limits. */
  limits: Generated<StoredJson | null>;
  created_at: Time;
}

/** An action of a caller with the right to manage keys, deployments, secrets or retention. */
export interface AuditEventTable {
  /** In order of time. */
  id: string;
  organization_id: string;
  /** Null for actions on the whole machine or team. */
  workspace_id: string | null;
  at: Time;
  /** Such as `api-key:<id>`, or `command` for a command of the command line that needs no server. */
  actor: string;
  /** The name of the key at that time. */
  actor_name: string | null;
  /** Such as `deployment.pause`. */
  action: string;
  /** The IDs and names that it affected; no values. */
  subject: StoredJson<JsonObject>;
  /** The status of the answer; null while it is under way, and when the server was killed meanwhile. */
  status: number | null;
}

export interface ApiKeyTable {
  id: string;
  organization_id: string;
  name: string;
  /** SHA-256 of the key in hex; the key itself is random enough to need no salt. */
  hash: string;
  /** The key's first characters, to distinguish keys. */
  prefix: string;
  /** A list of names. */
  rights: StoredJson;
  /** The names of the projects that it may trace to; null for all of its workspaces. */
  projects: StoredJson | null;
  /** The deployment that it was made for; null for the others. */
  deployment_id: string | null;
  created_at: Time;
  revoked_at: Time | null;
}

export interface ApiKeyWorkspaceTable {
  api_key_id: string;
  workspace_id: string;
}

/** Settings by name, such as ports and secrets for signatures. */
export interface SettingTable {
  name: string;
  value: StoredJson;
}

export interface DeploymentTable {
  id: string;
  workspace_id: string;
  name: string;
  source: DeploymentSource;
  source_config: StoredJson;
  source_revision_config: StoredJson;
  status: string;
  latest_revision_id: string | null;
  active_revision_id: string | null;
  /** The port of its agent server, kept so that saved links stay valid. */
  port: number | null;
  /** Real path of the langgraph.json, for a deployment served from an open folder. */
  config_path: string | null;
  /**
   * For a built deployment: its newest secrets, the key with which its runtime traces, and the secret that signs
   * pushes.
   */
  secret_set_id: Generated<string | null>;
  secret_references: Generated<StoredJson | null>;
  sealed_key: Generated<Uint8Array | null>;
  sealed_webhook_secret: Generated<Uint8Array | null>;
  /** Since when it starts no runs. */
  paused_at: Generated<Time | null>;
  created_at: Time;
  updated_at: Time;
}

export interface AssistantTable {
  assistant_id: string;
  deployment_id: string;
  /** The active version, whose fields the other columns repeat. */
  version: number;
  graph_id: string;
  name: string;
  description: string | null;
  config: StoredJson<JsonObject>;
  context: StoredJson<JsonObject>;
  metadata: StoredJson<JsonObject>;
  created_at: Time;
  updated_at: Time;
}

export interface AssistantVersionTable {
  assistant_id: string;
  deployment_id: string;
  version: number;
  graph_id: string;
  name: string;
  description: string | null;
  config: StoredJson<JsonObject>;
  context: StoredJson<JsonObject>;
  metadata: StoredJson<JsonObject>;
  created_at: Time;
}

export interface ThreadTable {
  thread_id: string;
  deployment_id: string;
  status: ThreadStatus;
  metadata: StoredJson<JsonObject>;
  config: StoredJson<JsonObject>;
  /** JSON of the newest state's values; null before the first state. */
  values: StoredJson | null;
  interrupts: StoredJson;
  error: StoredJson | null;
  created_at: Time;
  updated_at: Time;
  state_updated_at: Time | null;
  ttl_strategy: 'delete' | 'keep_latest' | null;
  ttl_minutes: number | null;
  expires_at: Time | null;
  /** The number of runs ever accepted on it, which is the place of the next one. */
  run_count: Generated<number>;
}

/** Every top-level scalar of every thread's metadata, so that a search by metadata is an index look-up. */
/** Maintained by triggers. */
export interface ThreadCountTable {
  deployment_id: string;
  threads: number;
}

export interface ThreadMetadataTable {
  deployment_id: string;
  key: string;
  value: string;
  thread_id: string;
}

export interface CheckpointTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  run_id: string | null;
  type: string;
  data: SerializedData;
  /** Channel name to the version of its value at this checkpoint. */
  channel_versions: StoredJson<Record<string, string>>;
  metadata: StoredJson<JsonObject>;
  created_at: Time;
  /** Its number among its thread's checkpoints, in the order in which they were stored. */
  seq: number;
  /** The number of the last event that its run had emitted before it; null when it was not made by a run. */
  events_before: Generated<number | null>;
}

/**
 * The checkpoints that threads share. A copy of a thread reads those of its base unchanged: no row is copied
 * before one of them would change.
 */
export interface HistoryTable {
  thread_id: string;
  /** The thread whose checkpoints it reads besides its own; null for one that reads only its own. */
  base_id: string | null;
  /** How many copies of the base had been made before it, which decides which writes of tasks it shares. */
  base_copies: number | null;
  /** The last checkpoint that it shares, with its base or with copies: its next one follows it. */
  shared_seq: number;
  /** How many copies of it have been made that read its checkpoints. */
  copies: Generated<number>;
}

export interface CheckpointBlobTable {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
  type: string;
  data: SerializedData;
}

export interface CheckpointWriteTable {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  task_id: string;
  index: number;
  task_path: string;
  channel: string;
  type: string;
  data: SerializedData;
  /** How many copies of its thread had been made when it was written; these copies do not include it. */
  after_copies: Generated<number>;
}

/** A request of a recorded run and its answer. The run may have been another server's. */
export interface ExchangeTable {
  thread_id: string;
  run_id: string;
  ordinal: number;
  hash: string;
  node: string;
  task: string;
  /** The whole exchange. */
  data: StoredJson<JsonObject>;
}

export interface ExchangePartTable {
  thread_id: string;
  run_id: string;
  ordinal: number;
  part: number;
  /** Its chunks. */
  data: StoredJson<JsonObject>;
}

/** A replay that has ended. */
export interface ReplayTable {
  thread_id: string;
  run_id: string;
  data: StoredJson<JsonObject>;
}

export interface RunTable {
  run_id: string;
  thread_id: string;
  deployment_id: string;
  assistant_id: string;
  graph_id: string;
  status: RunStatus;
  metadata: StoredJson<JsonObject>;
  /** The validated request: input, command, config, context, stream modes and all the rest. */
  kwargs: StoredJson<JsonObject>;
  multitask_strategy: MultitaskStrategy;
  attempt: Generated<number>;
  /** The thread is deleted with the run when it has ended. */
  stateless: Flag;
  /** The server process that works on it, and the expiry of its right to. */
  lease_owner: string | null;
  lease_expires_at: Time | null;
  /** Not to be started before. */
  start_after: Time | null;
  /** `{error, message}` of a run that failed. */
  error: StoredJson | null;
  cancel_reason: string | null;
  /** Set when it has been canceled, until it has ended. */
  cancel_action: Generated<'interrupt' | 'rollback' | null>;
  /** Its place among the runs of its thread, from 1; never reused. */
  thread_order: Generated<number>;
  started_at: Generated<Time | null>;
  ended_at: Generated<Time | null>;
  /** The checkpoint of its thread when it ended; null while it runs, and when it ended without a state. */
  last_checkpoint_id: Generated<string | null>;
  /** The interrupts that it waited for at its end, by task. */
  interrupts: Generated<StoredJson | null>;
  /** Dollars that its model calls cost, while it had a cap. */
  cost: Generated<number>;
  /** When the events of its stream are deleted; null while it runs and once they have been. */
  events_expire_at: Generated<Time | null>;
  /** The revision of its last attempt; null before the first one, and where there are no revisions. */
  revision_id: Generated<string | null>;
  created_at: Time;
  updated_at: Time;
}

/** The cost in dollars of a deployment's model calls on a day, while it had a cap. */
export interface DailyCostTable {
  deployment_id: string;
  /** In UTC, such as `2026-01-31`. */
  day: string;
  cost: number;
}

/** A run's stream, one row for the events of one turn, kept until a while after the end so that readers can rejoin. */
export interface RunEventTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  /** JSON array of [event, data as JSON text]; the first has when the row was made, in milliseconds since the epoch. */
  events: StoredJson<[event: string, data: string, madeAt?: number][]>;
}

export interface StoreItemTable {
  deployment_id: string;
  /** Labels joined by the unit separator, so that a prefix is a range. */
  namespace: string;
  key: string;
  value: StoredJson<JsonObject>;
  created_at: Time;
  updated_at: Time;
  ttl_minutes: number | null;
  expires_at: Time | null;
}

/** One embedded text of an item. */
export interface StoreVectorTable {
  deployment_id: string;
  namespace: string;
  key: string;
  /** The path the text was taken from. */
  field: string;
  /** Float32, little endian, of length one. */
  vector: Uint8Array;
}

export interface CronTable {
  cron_id: string;
  deployment_id: string;
  assistant_id: string;
  /** null when every run gets a thread of its own. */
  thread_id: string | null;
  schedule: string;
  /** IANA name; null is UTC. */
  timezone: string | null;
  end_time: Time | null;
  enabled: Flag;
  on_run_completed: 'delete' | 'keep';
  /** The body of the runs it starts. */
  payload: StoredJson<JsonObject>;
  metadata: StoredJson<JsonObject>;
  user_id: string | null;
  /** null when it will not run again. */
  next_run_date: Time | null;
  created_at: Time;
  updated_at: Time;
}

/** Webhooks that are still to be delivered. */
export interface WebhookTable {
  webhook_id: string;
  deployment_id: string;
  run_id: string;
  url: string;
  body: StoredJson;
  attempts: number;
  next_attempt_at: Time;
  created_at: Time;
}

/** Everything but traces. */
export interface StateSchema extends ControlPlaneSchema {
  organizations: OrganizationTable;
  audit_events: AuditEventTable;
  workspaces: WorkspaceTable;
  api_keys: ApiKeyTable;
  api_key_workspaces: ApiKeyWorkspaceTable;
  settings: SettingTable;
  deployments: DeploymentTable;
  assistants: AssistantTable;
  assistant_versions: AssistantVersionTable;
  threads: ThreadTable;
  thread_counts: ThreadCountTable;
  thread_metadata: ThreadMetadataTable;
  histories: HistoryTable;
  checkpoints: CheckpointTable;
  checkpoint_blobs: CheckpointBlobTable;
  checkpoint_writes: CheckpointWriteTable;
  exchanges: ExchangeTable;
  exchange_parts: ExchangePartTable;
  replays: ReplayTable;
  runs: RunTable;
  daily_costs: DailyCostTable;
  run_events: RunEventTable;
  store_items: StoreItemTable;
  store_vectors: StoreVectorTable;
  crons: CronTable;
  webhooks: WebhookTable;
}
