import type { TracesSchema } from '../tracing/database/traces-schema.ts';

/**
 * Every place that can contain data of a trace. Purges and their verification use this list; if a table or a kind of
 * file is missing, a test fails (`test/server/purging/places.test.ts`).
 */

/** Counts the remaining rows of runs or traces that job ?1 has deleted and whose keys are ?2 to ?3. */
export interface Check {
  /** The name of the place in the audit log. */
  readonly place: string;
  readonly of: 'runs' | 'traces';
  readonly sql: string;
}

/** How the rows of a workspace are deleted; SQL deletes those of the workspace `?`. */
type OfWorkspace =
  | { readonly by: 'workspace'; readonly rowKey: string }
  | { readonly by: 'others'; readonly sql: string }
  /** Deleted with the workspace's traces. */
  | 'traces'
  /** Remains, without content. */
  | 'kept';

/** A table, and how its data is deleted and checked. */
export interface Place {
  readonly ofWorkspace: OfWorkspace;
  /** Absent for a table without data that was sent with a trace, except IDs. */
  readonly checks?: readonly Check[];
  /** Deletes the data of a trace, other than its runs, in this place, by the key of the trace. */
  readonly ofTrace?: string;
}

const DELETED_RUNS = 'purge_runs AS gone WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3';
const DELETED_TRACES = 'purge_targets AS gone WHERE gone.job = ?1 AND gone.trace BETWEEN ?2 AND ?3';

const ofRuns = (place: string, sql: string): Check => ({
  place,
  of: 'runs',
  sql: `SELECT count(*) AS n FROM ${sql}`,
});
const ofTraces = (place: string, sql: string): Check => ({
  place,
  of: 'traces',
  sql: `SELECT count(*) AS n FROM ${sql}`,
});
const amongRuns = (place: string, table: string, column: string) =>
  ofRuns(place, `${table} WHERE ${column} IN (SELECT run FROM ${DELETED_RUNS})`);
const amongTraces = (place: string, table: string, column: string) =>
  ofTraces(place, `${table} WHERE ${column} IN (SELECT trace FROM ${DELETED_TRACES})`);
/** Checks rows that refer to a trace by its ID, which several workspaces may have. */
const joined = (place: string, table: string, on: string) =>
  ofTraces(
    place,
    `purge_targets AS gone JOIN ${table} AS kept ON ${on} AND kept.workspace = gone.workspace
     WHERE gone.job = ?1 AND gone.trace BETWEEN ?2 AND ?3`,
  );
const byWorkspace = (rowKey: string): OfWorkspace => ({ by: 'workspace', rowKey });

/** The tables of traces, in the order in which they are deleted with a workspace. */
export const PLACES: Readonly<Record<keyof TracesSchema, Place>> = {
  traces: {
    ofWorkspace: 'traces',
    checks: [amongTraces('traces', 'traces', 'key')],
    ofTrace: 'DELETE FROM traces WHERE key = ?',
  },
  runs: {
    ofWorkspace: 'traces',
    checks: [amongRuns('runs', 'runs', 'key'), amongTraces('runs', 'runs', 'trace')],
  },
  payload_blocks: {
    ofWorkspace: 'traces',
    checks: [amongTraces('payloads', 'payload_blocks', 'trace')],
    ofTrace: 'DELETE FROM payload_blocks WHERE trace = ?',
  },
  attachments: {
    ofWorkspace: 'traces',
    checks: [
      amongRuns('attachments', 'attachments', 'run'),
      amongTraces('attachments', 'attachments', 'trace'),
    ],
    ofTrace: 'DELETE FROM attachments WHERE trace = ?',
  },
  run_labels: {
    ofWorkspace: 'traces',
    checks: [
      ofRuns(
        'metadata',
        `purge_runs AS gone, json_each(gone.labels) AS label JOIN run_labels AS kept
           ON kept.label = CAST(label.value AS BIGINT)
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3 AND kept.run = gone.run`,
      ),
    ],
  },
  labels: {
    ofWorkspace: {
      by: 'others',
      sql: 'DELETE FROM labels WHERE session IN (SELECT key FROM sessions WHERE workspace = ?)',
    },
    checks: [
      ofRuns(
        'metadata',
        `purge_runs AS gone, json_each(gone.labels) AS label JOIN labels ON labels.key = CAST(label.value AS BIGINT)
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3
           AND NOT EXISTS (SELECT 1 FROM run_labels AS kept WHERE kept.label = labels.key)`,
      ),
    ],
  },
  early_patches: {
    ofWorkspace: byWorkspace('rowid'),
    checks: [joined('waiting', 'early_patches', 'coalesce(kept.trace_id, kept.run_id) = gone.trace_id')],
  },
  early_spans: {
    ofWorkspace: byWorkspace('rowid'),
    checks: [
      joined('waiting', 'early_spans', `kept.trace = replace(gone.trace_id, '-', '')`),
      ofRuns(
        'waiting',
        `purge_runs AS gone
           JOIN purge_targets AS target ON target.job = gone.job AND target.trace = gone.trace
           JOIN early_spans AS kept ON kept.run = gone.run_id AND kept.workspace = target.workspace
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3`,
      ),
    ],
  },
  early_logs: {
    ofWorkspace: byWorkspace('rowid'),
    checks: [joined('waiting', 'early_logs', `kept.trace = replace(gone.trace_id, '-', '')`)],
  },
  // Feedback that arrived after its trace was deleted does not belong to that purge.
  feedback: {
    ofWorkspace: byWorkspace('key'),
    checks: [
      ofRuns(
        'feedback',
        `purge_runs AS gone
           JOIN purge_targets AS target ON target.job = gone.job AND target.trace = gone.trace
           JOIN feedback ON feedback.run_id = gone.run_id AND feedback.workspace = target.workspace
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3 AND feedback.key <= target.last_feedback`,
      ),
      joined('feedback', 'feedback', 'kept.trace_id = gone.trace_id AND kept.key <= gone.last_feedback'),
      joined('feedback', 'feedback', 'kept.told_trace_id = gone.trace_id AND kept.key <= gone.last_feedback'),
    ],
  },
  shares: {
    ofWorkspace: byWorkspace('token'),
    checks: [joined('shares', 'shares', `kept.target = gone.trace_id AND kept.kind = 'trace'`)],
  },
  rule_queue: { ofWorkspace: byWorkspace('trace'), ofTrace: 'DELETE FROM rule_queue WHERE trace = ?' },
  feedback_tokens: { ofWorkspace: byWorkspace('id') },
  feedback_configs: { ofWorkspace: byWorkspace('rowid') },
  example_files: { ofWorkspace: byWorkspace('key') },
  example_versions: { ofWorkspace: byWorkspace('key') },
  comparisons: { ofWorkspace: byWorkspace('key') },
  run_rules: { ofWorkspace: byWorkspace('key') },
  retention_settings: { ofWorkspace: byWorkspace('rowid') },
  purge_settings: { ofWorkspace: byWorkspace('rowid') },
  purged_traces: { ofWorkspace: byWorkspace('trace_id') },
  dataset_versions: {
    ofWorkspace: {
      by: 'others',
      sql: 'DELETE FROM dataset_versions WHERE dataset IN (SELECT key FROM datasets WHERE workspace = ?)',
    },
  },
  dataset_tags: {
    ofWorkspace: {
      by: 'others',
      sql: 'DELETE FROM dataset_tags WHERE dataset IN (SELECT key FROM datasets WHERE workspace = ?)',
    },
  },
  datasets: { ofWorkspace: { by: 'others', sql: 'DELETE FROM datasets WHERE workspace = ?' } },
  sessions: { ofWorkspace: { by: 'others', sql: 'DELETE FROM sessions WHERE workspace = ?' } },
  // The workspace's own purges remain only in the append-only audit log.
  purge_jobs: {
    ofWorkspace: {
      by: 'others',
      sql: `DELETE FROM purge_jobs WHERE workspace = ? AND step IN ('verified', 'failed')`,
    },
  },
  purge_targets: { ofWorkspace: 'kept' },
  purge_runs: { ofWorkspace: 'kept' },
  purge_audit: { ofWorkspace: 'kept' },
  workspaces: { ofWorkspace: 'kept' },
  marks: { ofWorkspace: 'kept' },
};

/** Tables outside of `TracesSchema`, such as those that only one of the two databases has. */
export const OTHER_PLACES: Readonly<Record<string, Place>> = {
  runs_words: {
    ofWorkspace: 'traces',
    checks: [
      ofRuns(
        'words',
        `runs_words_docsize WHERE id IN
           (SELECT run * 2 FROM ${DELETED_RUNS} UNION ALL SELECT run * 2 + 1 FROM ${DELETED_RUNS})`,
      ),
    ],
  },
  // Blobs are files or rows; they and their objects are found by name (`BlobStore`).
  blobs: { ofWorkspace: 'traces' },
  loose_objects: { ofWorkspace: 'kept' },
  turns: { ofWorkspace: 'kept' },
  link_secret: { ofWorkspace: 'kept' },
  migrations: { ofWorkspace: 'kept' },
  migrations_lock: { ofWorkspace: 'kept' },
};

/** The files of a data folder that could contain data of a trace, and how a purge removes it from each. */
export const FILES: readonly { readonly file: RegExp; readonly by: string }[] = [
  { file: /^traces\.db$/, by: 'rows are overwritten, and freed pages leave the file' },
  { file: /^traces\.db-(wal|shm)$/, by: 'the log is emptied' },
  { file: /^has-traces$/, by: 'only records that there were traces' },
  { file: /^backups\/traces\./, by: 'removed' },
  { file: /^blobs\/ttl_\d+d\//, by: 'removed with their trace' },
  {
    file: /^blobs\/staging\//,
    by: 'each request removes its own, and the next start removes those of a crash',
  },
];

/** All checks, in the order of the tables. */
export const CHECKS: readonly Check[] = [...Object.values(PLACES), ...Object.values(OTHER_PLACES)].flatMap(
  ({ checks = [] }) => checks,
);
