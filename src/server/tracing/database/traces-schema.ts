import type { Generated } from 'kysely';
import type { Priced } from '../../../contract/tracing/priced.ts';
import type { RunPayload, RunType, SpanStatus, TraceTier } from '../../../contract/tracing/runs.ts';
import type { StoredJson } from '../../storage/stored-json.ts';
import type { Micros } from './micros.ts';
import type { PurgeSchema } from './purge-schema.ts';

/*
 * Most rows refer to each other by small integer keys instead of public IDs. A workspace is an integer too, so that it
 * costs only a byte in every row and index entry.
 */

/** The tables whose keys are assigned before rows are written. */
export const KEYED_TABLES = ['runs', 'traces', 'payload_blocks', 'labels'] as const;
export type KeyedTable = (typeof KEYED_TABLES)[number];

/** The integer keys of workspaces. */
export interface WorkspaceKeyTable {
  key: Generated<number>;
  id: string;
}

/** A tracing project, which the interface calls a session. */
export interface SessionTable {
  key: Generated<number>;
  /** 0 for a deleted project whose traces have not been purged yet. */
  workspace: number;
  id: string;
  name: string;
  description: string | null;
  extra: StoredJson | null;
  default_dataset_id: string | null;
  reference_dataset_id: string | null;
  /** The retention of its new traces; null if the workspace decides. */
  trace_tier: TraceTier | null;
  start_time: Micros;
  end_time: Micros | null;
  /** When the project last received runs. */
  last_run_start_time: Micros | null;
}

/** One row per trace: its retention, and the sums that lists show. */
export interface TraceTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  session: number;
  tier: TraceTier;
  ttl_days: number;
  /** Whether the tier was raised after the trace began. */
  upgraded: number;
  first_received_at: Micros;
  expires_at: Micros;
  run_count: number;
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_cost: number;
  completion_cost: number;
  total_cost: number;
}

/** A run, which is a span of a trace. */
export interface RunTable {
  key: Generated<number>;
  workspace: number;
  /** The project, which may be another one than its trace's. */
  session: number;
  trace: number;
  id: string;
  parent_id: string | null;
  dotted_order: string;
  name: string;
  run_type: RunType;
  status: SpanStatus;
  start_time: Micros;
  end_time: Micros | null;
  first_token_time: Micros | null;
  tags: StoredJson<string[]> | null;
  reference_example_id: string | null;
  /** The usage, which the trace's sums include; null if the run reports none, or another run counts it. */
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  prompt_cost: number | null;
  completion_cost: number | null;
  total_cost: number | null;
  /** The items of a cost that was computed here; null for costs sent by the client, and for calls without a price. */
  priced: StoredJson<Priced> | null;
  /** The places of the payloads. */
  payloads: StoredJson<PayloadPlaces>;
  /** The keys of the run's labels. */
  labels: StoredJson<number[]> | null;
  received_at: Micros;
}

/**
 * The place of a payload: a range of a block, or a separate blob; `noted` is the block that records that the blob is
 * searchable.
 */
export type PayloadPlace =
  | readonly [block: number, offset: number, length: number]
  | { readonly blob: string; readonly length: number; readonly noted?: number };
export type PayloadPlaces = { readonly [Kind in RunPayload]?: PayloadPlace };

/** A block: payloads of one trace that arrived in one request, concatenated and compressed together. */
export interface PayloadBlockTable {
  key: Generated<number>;
  trace: number;
  /** The block's ranges in the full-text index: `[row, offset, length, …]`. */
  words: StoredJson<number[]> | null;
  data: Uint8Array;
}

/** An attachment of a run. */
export interface AttachmentTable {
  run: number;
  trace: number;
  name: string;
  content_type: string;
  length: number;
  /** The bytes; if there are many, they are stored elsewhere. */
  data: Uint8Array | null;
  blob: string | null;
}

export type LabelType = 'text' | 'number' | 'boolean';

/** A metadata entry or a tag, stored once per project; other rows say which runs have it. */
export interface LabelTable {
  key: Generated<number>;
  session: number;
  kind: 'metadata' | 'tag';
  name: string;
  value: string;
  /** The type of the value in JSON; `unknown` for labels stored before types were recorded. */
  type: LabelType | 'unknown';
}

/** The labels of runs. */
export interface RunLabelTable {
  label: number;
  run: number;
}

/** An update whose post has not arrived yet. */
export interface EarlyPatchTable {
  workspace: number;
  run_id: string;
  trace_id: string | null;
  /** The parts of the request as received: `[part name, JSON text]` pairs, compressed. */
  parts: Uint8Array;
  received_at: Micros;
}

/** An OpenTelemetry span that is waiting for the spans above it; later, only its place. */
export interface EarlySpanTable {
  workspace: number;
  /** Hexadecimal, as OpenTelemetry writes them. */
  trace: string;
  span: string;
  parent: string | null;
  run: string | null;
  dotted_order: string | null;
  /** `SpanRun` as compressed JSON, until it is placed. */
  data: Uint8Array | null;
  /** Why the span could not be placed, until it is tried again. */
  refused: string | null;
  received_at: Micros;
}

/** A log record of a span that has no place yet. */
export interface EarlyLogTable {
  workspace: number;
  /** Hexadecimal, as OpenTelemetry writes them. */
  trace: string;
  span: string;
  /** The hash of the event, which identifies an event that is sent again. */
  digest: string;
  /** `EarlyLog` as compressed JSON. */
  data: Uint8Array;
  /** The length of the JSON. */
  size_bytes: number;
  received_at: Micros;
}

/** Feedback on a run, or on a whole project. */
export interface FeedbackTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  run_id: string | null;
  /** The ID of the trace; null until the run has arrived. */
  trace_id: string | null;
  session_id: string | null;
  name: string;
  score: number | null;
  value: StoredJson | null;
  comment: string | null;
  correction: StoredJson | null;
  extra: StoredJson | null;
  source: StoredJson | null;
  feedback_group_id: string | null;
  comparative_experiment_id: string | null;
  /** The trace that the feedback named, until its run has arrived. */
  told_trace_id: string | null;
  /** The project to which the feedback is limited, for a run that has not arrived; null for any. */
  only_session_id: string | null;
  /** Whether the trace's retention has been extended because of this feedback. */
  extends_retention: Generated<number>;
  created_at: Micros;
  modified_at: Micros;
}

/** A feedback link, which works without a key. */
export interface FeedbackTokenTable {
  id: string;
  workspace: number;
  run_id: string;
  trace_id: string | null;
  session_id: string | null;
  name: string;
  config: StoredJson | null;
  created_at: Micros;
  expires_at: Micros;
}

/** The feedback that is allowed under a key. */
export interface FeedbackConfigTable {
  workspace: number;
  name: string;
  config: StoredJson;
  is_lower_score_better: number | null;
  modified_at: Micros;
}

export interface DatasetTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  name: string;
  description: string | null;
  data_type: string;
  metadata: StoredJson<Record<string, unknown>> | null;
  inputs_schema: StoredJson | null;
  outputs_schema: StoredJson | null;
  transformations: StoredJson | null;
  baseline_experiment_id: string | null;
  created_at: Micros;
  modified_at: Micros;
}

/** A version of a dataset, identified by its time. Every write of examples creates one. */
export interface DatasetVersionTable {
  dataset: number;
  as_of: Micros;
}

/** A tag of a version of a dataset. */
export interface DatasetTagTable {
  dataset: number;
  tag: string;
  as_of: Micros;
}

/** An example from one version (inclusive) until another (exclusive); `null` means until now. */
export interface ExampleVersionTable {
  key: Generated<number>;
  workspace: number;
  dataset: number;
  id: string;
  from_version: Micros;
  to_version: Micros | null;
  name: string;
  /** Whether the row is a tombstone: the example was deleted in this version, and its inputs and outputs are null. */
  deleted: number;
  inputs: StoredJson | null;
  outputs: StoredJson | null;
  metadata: StoredJson<Record<string, unknown>> | null;
  source_run_id: string | null;
  /** Keys of `example_files`, by the names of the attachments. */
  attachments: StoredJson<Record<string, number>> | null;
  created_at: Micros;
}

/** An attachment of an example. */
export interface ExampleFileTable {
  key: Generated<number>;
  workspace: number;
  example: string;
  content_type: string;
  data: Uint8Array;
}

/** A token with which a trace or a dataset can be read without a key. */
export interface ShareTable {
  token: string;
  workspace: number;
  kind: 'trace' | 'dataset';
  /** The ID of the trace or dataset. */
  target: string;
  /** The ID of the run that was shared, together with its trace. */
  run_id: string | null;
  /** Whether the experiments on a dataset are shared with it. */
  projects: Generated<number>;
  created_at: Micros;
}

/** A comparison of experiments that were judged side by side. */
export interface ComparisonTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  /** The ID of the dataset. */
  dataset: string;
  name: string | null;
  description: string | null;
  /** The IDs of the projects. */
  experiments: StoredJson<string[]>;
  extra: StoredJson | null;
  created_at: Micros;
  modified_at: Micros;
}

/** A rule that extends the retention of traces. */
export interface RunRuleTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  name: string;
  session_id: string | null;
  filter: string | null;
  trace_filter: string | null;
  tree_filter: string | null;
  sampling_rate: number;
  enabled: number;
  created_at: Micros;
  updated_at: Micros;
}

/** A trace that the rules have yet to check. */
export interface RuleQueueTable {
  trace: number;
  workspace: number;
}

/** The progress of work that continues after a restart, such as full-text indexing. */
export interface MarkTable {
  name: string;
  value: number;
}

/** The tables of `traces.db`. */
export interface TracesSchema extends PurgeSchema {
  workspaces: WorkspaceKeyTable;
  sessions: SessionTable;
  traces: TraceTable;
  runs: RunTable;
  payload_blocks: PayloadBlockTable;
  attachments: AttachmentTable;
  labels: LabelTable;
  run_labels: RunLabelTable;
  early_patches: EarlyPatchTable;
  early_spans: EarlySpanTable;
  early_logs: EarlyLogTable;
  feedback: FeedbackTable;
  feedback_tokens: FeedbackTokenTable;
  feedback_configs: FeedbackConfigTable;
  datasets: DatasetTable;
  dataset_versions: DatasetVersionTable;
  dataset_tags: DatasetTagTable;
  example_versions: ExampleVersionTable;
  example_files: ExampleFileTable;
  shares: ShareTable;
  comparisons: ComparisonTable;
  run_rules: RunRuleTable;
  rule_queue: RuleQueueTable;
  marks: MarkTable;
}
