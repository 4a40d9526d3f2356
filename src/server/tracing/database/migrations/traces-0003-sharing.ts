import { type Kysely, type Migration, sql } from 'kysely';

/** Share links, comparisons of experiments, and rules on runs. */
export const sharing: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `CREATE TABLE shares (
    token TEXT PRIMARY KEY,
    workspace INTEGER NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    run_id TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (target, kind, workspace)
  ) WITHOUT ROWID`,

  `CREATE TABLE comparisons (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    dataset TEXT NOT NULL,
    name TEXT,
    description TEXT,
    experiments TEXT NOT NULL,
    extra TEXT,
    created_at INTEGER NOT NULL,
    modified_at INTEGER NOT NULL,
    UNIQUE (id, workspace)
  )`,
  'CREATE INDEX comparisons_by_dataset ON comparisons (dataset, workspace)',

  `CREATE TABLE run_rules (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    session_id TEXT,
    filter TEXT,
    trace_filter TEXT,
    tree_filter TEXT,
    sampling_rate REAL NOT NULL,
    enabled INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (id, workspace)
  )`,
  // Traces that changed and are to be looked at by the rules of their workspace; written with the trace itself.
  'CREATE TABLE rule_queue (trace INTEGER PRIMARY KEY, workspace INTEGER NOT NULL)',
];
