import type { Generated } from 'kysely';
import type { AuditEntry, PurgeJob } from '../../../contract/purging.ts';
import type { TraceTier } from '../../../contract/tracing/runs.ts';
import type { StoredJson } from '../../storage/stored-json.ts';
import type { Micros } from './micros.ts';

/** The subject of a purge; stored with the job, so it contains no keys that could change their meaning. */
export interface PurgeFilter {
  readonly session_id?: string;
  /** The integer of a deleted project, which can no longer be found by an ID. */
  readonly session?: number;
  readonly trace_ids?: readonly string[];
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** ISO 8601. */
  readonly before?: string;
  readonly start_time?: string;
  /** Microseconds: traces whose retention ended by then. */
  readonly expired_by?: number;
  /** The id of a workspace that was deleted, with everything in it. */
  readonly workspace_id?: string;
  readonly delete_examples?: boolean;
  /** A dataset that was deleted, by its id and by its integer. */
  readonly dataset_id?: string;
  readonly dataset?: number;
  /** Examples that are deleted from all versions. */
  readonly example_ids?: readonly string[];
}

/** A requested purge. */
export interface QueuedPurge {
  readonly workspace: number;
  readonly kind: PurgeJob['kind'];
  readonly filter: PurgeFilter;
  readonly by: string | null;
  /** Does not wait for the purge window. */
  readonly atOnce?: boolean;
  /** How many examples are already deleted, but not yet removed from disk. */
  readonly examples?: number;
}

/** Retention of a workspace's new traces, if it differs from the default. */
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
  /** A restart continues with the steps in between. */
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
  /** Negative for a trace of which nothing was stored yet. */
  trace: number;
  trace_id: string;
  workspace: number;
  deleted: number;
  /**
   * The row key of the newest feedback when the trace was deleted; before that, when deleting began, -1 for none,
   * 0 at first.
   */
  last_feedback: Generated<number>;
}

/** Deleted rows that still have to be verified. */
export interface PurgeRunTable {
  job: string;
  run: number;
  trace: number;
  run_id: string;
  /** Keys of labels. */
  labels: StoredJson<number[]> | null;
  /** Names of blobs. */
  files: StoredJson<string[]> | null;
}

/** A purged trace, by its id only. */
export interface PurgedTraceTable {
  workspace: number;
  trace_id: string;
  purged_at: Micros;
}

/** Append-only: triggers refuse to change or delete a row. */
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

export interface PurgeSettingTable {
  workspace: number;
  schedule: string | null;
  timezone: string;
}

/** Tables of `traces.db` for deletions: their subjects, times and outcomes. */
export interface PurgeSchema {
  retention_settings: RetentionSettingTable;
  purge_jobs: PurgeJobTable;
  purge_targets: PurgeTargetTable;
  purge_runs: PurgeRunTable;
  purged_traces: PurgedTraceTable;
  purge_audit: PurgeAuditTable;
  purge_settings: PurgeSettingTable;
}
