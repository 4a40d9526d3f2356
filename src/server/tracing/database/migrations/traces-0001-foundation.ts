import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Projects, traces, runs and feedback.
 *
 * Written as SQL: it is read more easily beside the schema than a page of builder calls, and full-text search has no
 * builder.
 */
export const foundation: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  'CREATE TABLE workspaces (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)',

  `CREATE TABLE sessions (
    key INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    extra TEXT,
    default_dataset_id TEXT,
    reference_dataset_id TEXT,
    trace_tier TEXT,
    start_time INTEGER NOT NULL,
    end_time INTEGER,
    last_run_start_time INTEGER,
    UNIQUE (workspace, id),
    UNIQUE (workspace, name)
  )`,
  'CREATE INDEX sessions_by_dataset ON sessions (reference_dataset_id) WHERE reference_dataset_id IS NOT NULL',

  // AUTOINCREMENT: a key is never used again, so a stale reference can never mean another row.
  `CREATE TABLE traces (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    session INTEGER NOT NULL,
    tier TEXT NOT NULL,
    ttl_days INTEGER NOT NULL,
    upgraded INTEGER NOT NULL DEFAULT 0,
    first_received_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    run_count INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    completion_tokens INTEGER NOT NULL DEFAULT 0,
    total_tokens INTEGER NOT NULL DEFAULT 0,
    prompt_cost REAL NOT NULL DEFAULT 0,
    completion_cost REAL NOT NULL DEFAULT 0,
    total_cost REAL NOT NULL DEFAULT 0,
    UNIQUE (id, workspace)
  )`,
  'CREATE INDEX traces_by_session ON traces (session)',
  'CREATE INDEX traces_by_expiry ON traces (expires_at)',

  `CREATE TABLE runs (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    session INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent_id TEXT,
    dotted_order TEXT NOT NULL,
    name TEXT NOT NULL,
    run_type TEXT NOT NULL,
    status TEXT NOT NULL,
    start_time INTEGER NOT NULL,
    end_time INTEGER,
    first_token_time INTEGER,
    tags TEXT,
    reference_example_id TEXT,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    total_tokens INTEGER,
    prompt_cost REAL,
    completion_cost REAL,
    total_cost REAL,
    payloads TEXT NOT NULL,
    labels TEXT,
    received_at INTEGER NOT NULL,
    UNIQUE (id, workspace)
  )`,
  'CREATE INDEX runs_by_trace ON runs (trace)',
  'CREATE INDEX runs_by_time ON runs (session, start_time)',
  'CREATE INDEX roots_by_time ON runs (session, start_time) WHERE parent_id IS NULL',
  'CREATE INDEX runs_by_parent ON runs (parent_id) WHERE parent_id IS NOT NULL',
  'CREATE INDEX runs_by_example ON runs (reference_example_id) WHERE reference_example_id IS NOT NULL',

  `CREATE TABLE payload_blocks (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    trace INTEGER NOT NULL,
    words TEXT,
    data BLOB NOT NULL
  )`,
  'CREATE INDEX payload_blocks_by_trace ON payload_blocks (trace)',

  `CREATE TABLE attachments (
    run INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    length INTEGER NOT NULL,
    data BLOB,
    blob TEXT,
    PRIMARY KEY (run, name)
  )`,
  'CREATE INDEX attachments_by_trace ON attachments (trace)',

  `CREATE TABLE labels (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (name, value, kind, session)
  )`,
  `CREATE TABLE run_labels (
    label INTEGER NOT NULL,
    run INTEGER NOT NULL,
    PRIMARY KEY (label, run)
  ) WITHOUT ROWID`,

  `CREATE TABLE early_patches (
    workspace INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    trace_id TEXT,
    parts BLOB NOT NULL,
    received_at INTEGER NOT NULL
  )`,
  'CREATE INDEX early_patches_by_run ON early_patches (run_id, workspace)',

  `CREATE TABLE early_spans (
    workspace INTEGER NOT NULL,
    trace TEXT NOT NULL,
    span TEXT NOT NULL,
    parent TEXT,
    run TEXT,
    dotted_order TEXT,
    data BLOB,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, trace, span)
  )`,
  'CREATE INDEX early_spans_waiting ON early_spans (received_at) WHERE run IS NULL',
  'CREATE INDEX early_spans_by_run ON early_spans (run) WHERE run IS NOT NULL',

  `CREATE TABLE feedback (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    run_id TEXT,
    trace_id TEXT,
    session_id TEXT,
    name TEXT NOT NULL,
    score REAL,
    value TEXT,
    comment TEXT,
    correction TEXT,
    extra TEXT,
    source TEXT,
    feedback_group_id TEXT,
    comparative_experiment_id TEXT,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    UNIQUE (id, workspace)
  )`,
  'CREATE INDEX feedback_by_run ON feedback (run_id, workspace)',
  'CREATE INDEX feedback_by_trace ON feedback (trace_id, workspace)',
  'CREATE INDEX feedback_by_session ON feedback (session_id, name)',
  'CREATE INDEX feedback_by_time ON feedback (workspace, created_at)',
  'CREATE INDEX feedback_unresolved ON feedback (run_id) WHERE trace_id IS NULL AND run_id IS NOT NULL',

  `CREATE TABLE feedback_tokens (
    id TEXT PRIMARY KEY,
    workspace INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    trace_id TEXT,
    session_id TEXT,
    name TEXT NOT NULL,
    config TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX feedback_tokens_by_run ON feedback_tokens (run_id, workspace)',
  'CREATE INDEX feedback_tokens_by_expiry ON feedback_tokens (expires_at)',

  `CREATE TABLE feedback_configs (
    workspace INTEGER NOT NULL,
    name TEXT NOT NULL,
    config TEXT NOT NULL,
    is_lower_score_better INTEGER,
    modified_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, name)
  )`,

  // Rowids are run key × 2, plus 1 for outputs. It holds no text of its own (content=''), only the words: what to take
  // out is told to it again. `secure-delete` takes a word out in place instead of marking it gone.
  `CREATE VIRTUAL TABLE runs_words USING fts5 (project, text, content='', detail='column', tokenize='unicode61')`,
  `INSERT INTO runs_words (runs_words, rank) VALUES ('secure-delete', 1)`,

  `CREATE TABLE retention_settings (
    id TEXT PRIMARY KEY,
    workspace INTEGER NOT NULL UNIQUE,
    default_tier TEXT NOT NULL,
    apply_to_all_projects INTEGER NOT NULL,
    shortlived_days INTEGER,
    longlived_days INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  )`,

  `CREATE TABLE purge_jobs (
    id TEXT PRIMARY KEY,
    workspace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    filter TEXT NOT NULL,
    step TEXT NOT NULL,
    matched INTEGER NOT NULL DEFAULT 0,
    matched_runs INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    deleted_runs INTEGER NOT NULL DEFAULT 0,
    requested_by TEXT,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    error TEXT
  )`,
  `CREATE INDEX purge_jobs_open ON purge_jobs (not_before) WHERE step NOT IN ('verified', 'failed')`,
  'CREATE INDEX purge_jobs_by_workspace ON purge_jobs (workspace, created_at)',
  `CREATE TABLE purge_targets (
    job TEXT NOT NULL,
    trace INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    workspace INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (job, trace)
  ) WITHOUT ROWID`,
  'CREATE INDEX purge_targets_open ON purge_targets (job, trace) WHERE deleted = 0',
  `CREATE TABLE purge_audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    at INTEGER NOT NULL,
    job_id TEXT NOT NULL,
    event TEXT NOT NULL,
    requested_by TEXT,
    filter TEXT NOT NULL,
    counts TEXT NOT NULL
  )`,
  'CREATE INDEX purge_audit_by_workspace ON purge_audit (workspace, id)',
  `CREATE TRIGGER purge_audit_is_not_changed BEFORE UPDATE ON purge_audit
    BEGIN SELECT raise(ABORT, 'The audit log is append-only.'); END`,
  `CREATE TRIGGER purge_audit_is_not_deleted BEFORE DELETE ON purge_audit
    BEGIN SELECT raise(ABORT, 'The audit log is append-only.'); END`,
  `CREATE TABLE purge_settings (
    workspace INTEGER PRIMARY KEY,
    schedule TEXT,
    timezone TEXT NOT NULL
  )`,

  'CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID',
  `INSERT INTO marks VALUES ('indexed_block', 0)`,
];
