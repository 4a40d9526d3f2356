import type { ColumnType, Generated } from 'kysely';
import type { MultitaskStrategy, RunStatus } from '../../contract/agent-server/runs.ts';
import type { ThreadStatus } from '../../contract/agent-server/threads.ts';
import type { DeploymentSource } from '../../contract/control-plane/sources.ts';
import type { JsonObject } from '../../contract/fields.ts';
import type { ControlPlaneSchema, Time } from './control-plane-schema.ts';
import type { StoredJson } from './stored-json.ts';

type Flag = ColumnType<number, number | boolean, number | boolean>;
/** Serialized data: text or bytes, depending on the serializer. */
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
  /** The limits that the owner has set for the workspace; null for no limits. */
  limits: Generated<StoredJson | null>;
  created_at: Time;
}

/** An audited action, such as a change of keys, deployments, secrets or retention. */
export interface AuditEventTable {
  /** A UUID version 7, so that IDs sort by time. */
  id: string;
  organization_id: string;
  /** Null for actions on the whole machine or team. */
  workspace_id: string | null;
  at: Time;
  /** The actor, such as `api-key:<id>`, or `server` for an event that no request has caused. */
  actor: string;
  /** The name that the key had at that time. */
  actor_name: string | null;
  /** The action's name, such as `deployment.pause`. */
  action: string;
  /** The IDs of what it affected, and recorded fields of the request, such as names, rights and limits. */
  subject: StoredJson<JsonObject>;
  /** The status of the response; null while the action is in progress, or if the server was killed in the meantime. */
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
  /** The names of the key's rights. */
  rights: StoredJson;
  /** The names of the projects that the key may trace to; null for all projects in its workspaces. */
  projects: StoredJson | null;
  /** The deployment that the key was made for; null for other keys. */
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
  /** The newest secrets of a built deployment. */
  secret_set_id: Generated<string | null>;
  secret_references: Generated<StoredJson | null>;
  /** The API key of a built deployment's graphs, encrypted. */
  sealed_key: Generated<Uint8Array | null>;
  /** The secret with which a code host signs pushes, encrypted. */
  sealed_webhook_secret: Generated<Uint8Array | null>;
  /** When the deployment was paused; since then, it starts no runs. */
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
  /** The number of runs that the thread has ever had; the next run gets the next number as its position. */
  run_count: Generated<number>;
}

/** The number of threads of each deployment, which triggers keep up to date. */
export interface ThreadCountTable {
  deployment_id: string;
  threads: number;
}

/**
 * The top-level scalars of threads' metadata, except long ones and null, so that searches by metadata use an
 * index.
 */
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
  /** The version of each channel's value at this checkpoint, by channel. */
  channel_versions: StoredJson<Record<string, string>>;
  metadata: StoredJson<JsonObject>;
  created_at: Time;
  /** The checkpoint's number among those of its thread, in the order in which they were stored. */
  seq: number;
  /** The number of the last event that its run had emitted before the checkpoint; null if it was not made by a run. */
  events_before: Generated<number | null>;
}

/** How threads share checkpoints: a copy of a thread reads the checkpoints of its base, until they are about to change. */
export interface HistoryTable {
  thread_id: string;
  /** The thread whose checkpoints this one reads in addition to its own; null if it reads only its own. */
  base_id: string | null;
  /** How many copies of the base had been made before this one, which decides which task writes it shares. */
  base_copies: number | null;
  /** The number (`seq`) of the last checkpoint that the thread shares with its base or with copies. */
  shared_seq: number;
  /** How many copies of the thread have been made. */
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
  /** How many copies of the thread had been made when the write was stored; these copies do not include it. */
  after_copies: Generated<number>;
}

/** A request of a recorded run, and its response. */
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
  /** The chunks of the part. */
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
  /** The validated request that created the run: input, command, config, context, stream modes and so on. */
  kwargs: StoredJson<JsonObject>;
  multitask_strategy: MultitaskStrategy;
  attempt: Generated<number>;
  /**
   * Whether the run was created with a thread of its own, which is deleted with the run unless
   * `kwargs.on_completion` keeps it.
   */
  stateless: Flag;
  /** The server that works on the run. */
  lease_owner: string | null;
  /** When other servers may take the run over. */
  lease_expires_at: Time | null;
  /** The time before which the run must not be started. */
  start_after: Time | null;
  /** `{error, message}` of a failed run. */
  error: StoredJson | null;
  cancel_reason: string | null;
  /** How the run has been canceled, so that no other server continues it; null if it has not been. */
  cancel_action: Generated<'interrupt' | 'rollback' | null>;
  /** The run's position among those of its thread, from 1; never reused. */
  thread_order: Generated<number>;
  started_at: Generated<Time | null>;
  ended_at: Generated<Time | null>;
  /** The thread's checkpoint when the run ended; null while it is running, and if it ended without a state. */
  last_checkpoint_id: Generated<string | null>;
  /** The interrupts at which the run ended, by task. */
  interrupts: Generated<StoredJson | null>;
  /** The cost of the run's model calls in dollars; 0 if neither the run nor the day had a cap. */
  cost: Generated<number>;
  /**
   * When the events of its stream are to be deleted; null while the run is in progress, and once they have been
   * deleted.
   */
  events_expire_at: Generated<Time | null>;
  /** The revision of the run's last attempt; null before the first one, and in deployments without revisions. */
  revision_id: Generated<string | null>;
  created_at: Time;
  updated_at: Time;
}

/** The cost in dollars of a deployment's model calls on a day on which it had a cap. */
export interface DailyCostTable {
  deployment_id: string;
  /** The day in UTC, such as `2026-01-31`. */
  day: string;
  cost: number;
}

/**
 * A run's stream, with one row for the events of one turn, kept for a while after the end so that readers can rejoin.
 */
export interface RunEventTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  /**
   * JSON array of [event, data as JSON text]; the first entry also has the time when the row was made, in milliseconds
   * since the epoch.
   */
  events: StoredJson<[event: string, data: string, madeAt?: number][]>;
}

export interface StoreItemTable {
  deployment_id: string;
  /** Labels joined by the unit separator (U+001F), so that namespaces with the same prefix are a range of the index. */
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
  /** The path of the text in the item. */
  field: string;
  /** Float32, little endian, of length one. */
  vector: Uint8Array;
}

export interface CronTable {
  cron_id: string;
  deployment_id: string;
  assistant_id: string;
  /** Null if each run gets a new thread. */
  thread_id: string | null;
  schedule: string;
  /** IANA name; null is UTC. */
  timezone: string | null;
  end_time: Time | null;
  enabled: Flag;
  on_run_completed: 'delete' | 'keep';
  /** The body of the requests with which the cron starts runs. */
  payload: StoredJson<JsonObject>;
  metadata: StoredJson<JsonObject>;
  user_id: string | null;
  /** Null if the cron will not run again. */
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

/** The tables of everything but traces. */
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
