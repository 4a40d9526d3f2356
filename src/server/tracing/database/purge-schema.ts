import type { Generated } from 'kysely';
import type { AuditEntry, PurgeJob } from '../../../contract/purging.ts';
import type { TraceTier } from '../../../contract/tracing/runs.ts';
import type { StoredJson } from '../../storage/stored-json.ts';
import type { Micros } from './micros.ts';

/** The subject of a purge. It is stored with the job, so it contains no keys whose meaning could change. */
export interface PurgeFilter {
  readonly session_id?: string;
  /** The integer key of a deleted project, which can no longer be found by its ID. */
  readonly session?: number;
  readonly trace_ids?: readonly string[];
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** A time in ISO 8601 format. */
  readonly before?: string;
  readonly start_time?: string;
  /** A time in microseconds: selects traces whose retention ended by then. */
  readonly expired_by?: number;
  /** The ID of a workspace that was deleted with everything in it. */
  readonly workspace_id?: string;
  readonly delete_examples?: boolean;
  /** The ID of a deleted dataset; its integer key is in the next field. */
  readonly dataset_id?: string;
  readonly dataset?: number;
  /** The IDs of examples that are deleted from all versions. */
  readonly example_ids?: readonly string[];
}

/** A requested purge. */
export interface QueuedPurge {
  readonly workspace: number;
  readonly kind: PurgeJob['kind'];
  readonly filter: PurgeFilter;
  readonly by: string | null;
  /** Whether the purge starts without waiting for the purge window. */
  readonly atOnce?: boolean;
  /** How many examples have already been deleted, but not yet removed from disk. */
  readonly examples?: number;
}

/** The retention of a workspace's new traces, if it differs from the default. */
export interface RetentionSettingTable {
  id: string;
  workspace: number;
  default_tier: TraceTier;
  apply_to_all_projects: number;
  shortlived_days: number | null;
  longlived_days: number | null;
  created_at: Micros;
  updated_at: Micros;
}

/** A purge: its subject, and its progress. */
export interface PurgeJobTable {
  id: string;
  workspace: number;
  kind: PurgeJob['kind'];
  filter: StoredJson<PurgeFilter>;
  /** The current step; after a restart, the purge continues with it. */
  step: 'pending' | 'matching' | 'deleting' | 'cleaning' | 'verifying' | 'verified' | 'failed';
  matched: number;
  matched_runs: number;
  deleted: number;
  deleted_runs: number;
  requested_by: string | null;
  created_at: Micros;
  not_before: Micros;
  started_at: Micros | null;
  finished_at: Micros | null;
  error: string | null;
}

/** The targets of a purge, until verified. */
export interface PurgeTargetTable {
  job: string;
  /** The key of the trace; negative if nothing of the trace was stored yet. */
  trace: number;
  trace_id: string;
  workspace: number;
  deleted: number;
  /**
   * The row key of the newest feedback when the deletion was first interrupted, or, once the trace is
   * deleted, when the deletion ended. 0 before that. Without any feedback: -1 after an interruption, and 0 at
   * the end.
   */
  last_feedback: Generated<number>;
}

/** Deleted rows that still have to be verified. */
export interface PurgeRunTable {
  job: string;
  run: number;
  trace: number;
  run_id: string;
  /** The keys of the run's labels. */
  labels: StoredJson<number[]> | null;
  /** The names of the run's blobs. */
  files: StoredJson<string[]> | null;
}

/** A purged trace, of which only the ID is kept. */
export interface PurgedTraceTable {
  workspace: number;
  trace_id: string;
  purged_at: Micros;
}

/** The audit log of purges. It is append-only: triggers prevent changing or deleting rows. */
export interface PurgeAuditTable {
  id: Generated<number>;
  workspace: number;
  at: Micros;
  job_id: string;
  event: AuditEntry['event'];
  requested_by: string | null;
  filter: StoredJson;
  counts: StoredJson;
}

/** When a workspace's purges are carried out. */
export interface PurgeSettingTable {
  workspace: number;
  schedule: string | null;
  timezone: string;
}

/** The tables of `traces.db` for purges: their subjects, times and outcomes. */
export interface PurgeSchema {
  retention_settings: RetentionSettingTable;
  purge_jobs: PurgeJobTable;
  purge_targets: PurgeTargetTable;
  purge_runs: PurgeRunTable;
  purged_traces: PurgedTraceTable;
  purge_audit: PurgeAuditTable;
  purge_settings: PurgeSettingTable;
}
