import type { Generated } from 'kysely';
import type { Priced } from '../../../contract/tracing/priced.ts';
import type { RunPayload, RunType, SpanStatus, TraceTier } from '../../../contract/tracing/runs.ts';
import type { StoredJson } from '../../storage/stored-json.ts';
import type { Micros } from './micros.ts';
import type { PurgeSchema } from './purge-schema.ts';

/*
 * Rows are joined by small integer keys; the ids of the interface are in one column each. A workspace is an integer
 * too, so that it costs a byte in every row and index that carries it.
 */

/** Tables whose keys are assigned before rows are written. */
export const KEYED_TABLES = ['runs', 'traces', 'payload_blocks', 'labels'] as const;
export type KeyedTable = (typeof KEYED_TABLES)[number];

export interface WorkspaceKeyTable {
  key: Generated<number>;
  id: string;
}

export interface SessionTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  name: string;
  description: string | null;
  extra: StoredJson | null;
  default_dataset_id: string | null;
  reference_dataset_id: string | null;
  trace_tier: TraceTier | null;
  start_time: Micros;
  end_time: Micros | null;
  last_run_start_time: Micros | null;
}

/** One row per trace: its retention, and the sums that lists show of it. */
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

export interface RunTable {
  key: Generated<number>;
  workspace: number;
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
  prompt_tokens: number | null;
  completion_tokens: number | null;
  total_tokens: number | null;
  prompt_cost: number | null;
  completion_cost: number | null;
  total_cost: number | null;
  /** The bill of a cost that was computed here; null for costs sent by the client, and without a price. */
  priced: StoredJson<Priced> | null;
  /** Where the payloads are. */
  payloads: StoredJson<PayloadPlaces>;
  /** Keys of its labels. */
  labels: StoredJson<number[]> | null;
  received_at: Micros;
}

/**
 * The place of a payload: a range of a block, or a separate blob; `noted` is the block that mentions the blob.
 */
export type PayloadPlace =
  | readonly [block: number, offset: number, length: number]
  | { readonly blob: string; readonly length: number; readonly noted?: number };
export type PayloadPlaces = { readonly [Kind in RunPayload]?: PayloadPlace };

/** Payloads of one trace that came in one request, one after the other, compressed together. */
export interface PayloadBlockTable {
  key: Generated<number>;
  trace: number;
  /** The ranges of it in the full-text index: `[row, offset, length, …]`. */
  words: StoredJson<number[]> | null;
  data: Uint8Array;
}

export interface AttachmentTable {
  run: number;
  trace: number;
  name: string;
  content_type: string;
  length: number;
  /** The bytes, or where they are stored if there are many. */
  data: Uint8Array | null;
  blob: string | null;
}

export type LabelType = 'text' | 'number' | 'boolean';

/** A piece of metadata or a tag, once per project, and the runs that carry it. */
export interface LabelTable {
  key: Generated<number>;
  session: number;
  kind: 'metadata' | 'tag';
  name: string;
  value: string;
  /** The type of the value in JSON; `unknown` for labels stored before types were recorded. */
  type: LabelType | 'unknown';
}
export interface RunLabelTable {
  label: number;
  run: number;
}

/** A patch whose post has not arrived yet. */
export interface EarlyPatchTable {
  workspace: number;
  run_id: string;
  trace_id: string | null;
  /** The request's parts as received: `[part name, JSON text]` pairs, compressed. */
  parts: Uint8Array;
  received_at: Micros;
}

/** A span of OpenTelemetry that waits for those above it, and later its place. */
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
  /** Why it could not be placed, until it is tried again. */
  refused: string | null;
  received_at: Micros;
}

/** Log records of spans that have no place yet. */
export interface EarlyLogTable {
  workspace: number;
  /** Hexadecimal, as OpenTelemetry writes them. */
  trace: string;
  span: string;
  /** Hash of the event, which identifies one that is sent again. */
  digest: string;
  /** `EarlyLog` as compressed JSON. */
  data: Uint8Array;
  /** Length of the JSON. */
  size_bytes: number;
  received_at: Micros;
}

export interface FeedbackTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  run_id: string | null;
  /** Null until the run has arrived. */
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
  /** The trace it named, while its run has not arrived. */
  told_trace_id: string | null;
  /** The project to which it is limited for a run that has not arrived; null for any. */
  only_session_id: string | null;
  /** Whether its trace has extended retention because of it. */
  extends_retention: Generated<number>;
  created_at: Micros;
  modified_at: Micros;
}

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

/** Every write of examples makes a version, known by its time. */
export interface DatasetVersionTable {
  dataset: number;
  as_of: Micros;
}
export interface DatasetTagTable {
  dataset: number;
  tag: string;
  as_of: Micros;
}

/** An example from one version until another, exclusive; `null` means until now. */
export interface ExampleVersionTable {
  key: Generated<number>;
  workspace: number;
  dataset: number;
  id: string;
  from_version: Micros;
  to_version: Micros | null;
  name: string;
  /** A tombstone: deleted in this version, with null inputs and outputs. */
  deleted: number;
  inputs: StoredJson | null;
  outputs: StoredJson | null;
  metadata: StoredJson<Record<string, unknown>> | null;
  source_run_id: string | null;
  /** Name to key of `example_files`. */
  attachments: StoredJson<Record<string, number>> | null;
  created_at: Micros;
}

export interface ExampleFileTable {
  key: Generated<number>;
  workspace: number;
  example: string;
  content_type: string;
  data: Uint8Array;
}

/** A token by which a trace or a dataset can be read without a key. */
export interface ShareTable {
  token: string;
  workspace: number;
  kind: 'trace' | 'dataset';
  /** Id of the trace or dataset. */
  target: string;
  /** The run that was shared with its trace. */
  run_id: string | null;
  /** Whether the experiments on a dataset are shared with it. */
  projects: Generated<number>;
  created_at: Micros;
}

/** Experiments that were judged side by side. */
export interface ComparisonTable {
  key: Generated<number>;
  workspace: number;
  id: string;
  /** Id of the dataset. */
  dataset: string;
  name: string | null;
  description: string | null;
  /** Ids of the projects. */
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

/** Traces that the rules have yet to check. */
export interface RuleQueueTable {
  trace: number;
  workspace: number;
}

/** Progress of work that continues after a restart, such as of the full-text index. */
export interface MarkTable {
  name: string;
  value: number;
}

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
