import { type Kysely, type Migration, sql } from 'kysely';

/** Datasets, and the versions of their examples. */
export const datasets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `CREATE TABLE datasets (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    data_type TEXT NOT NULL,
    metadata TEXT,
    inputs_schema TEXT,
    outputs_schema TEXT,
    transformations TEXT,
    baseline_experiment_id TEXT,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    UNIQUE (workspace, id),
    UNIQUE (workspace, name)
  )`,
  `CREATE TABLE dataset_versions (
    dataset INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    PRIMARY KEY (dataset, as_of)
  ) WITHOUT ROWID`,
  `CREATE TABLE dataset_tags (
    dataset INTEGER NOT NULL,
    tag TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    PRIMARY KEY (dataset, tag)
  ) WITHOUT ROWID`,
  `CREATE TABLE example_versions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    dataset INTEGER NOT NULL,
    id TEXT NOT NULL,
    from_version INTEGER NOT NULL,
    to_version INTEGER,
    name TEXT NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    inputs TEXT,
    outputs TEXT,
    metadata TEXT,
    source_run_id TEXT,
    attachments TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (id, workspace, from_version)
  )`,
  'CREATE INDEX example_versions_by_dataset ON example_versions (dataset, from_version)',
  'CREATE INDEX examples_now ON example_versions (dataset, id) WHERE to_version IS NULL',
  'CREATE INDEX example_versions_by_workspace ON example_versions (workspace, from_version)',
  `CREATE TABLE example_files (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    example TEXT NOT NULL,
    content_type TEXT NOT NULL,
    data BLOB NOT NULL
  )`,
  'CREATE INDEX example_files_by_example ON example_files (example, workspace)',
];
