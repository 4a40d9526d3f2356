import { type Kysely, type Migration, sql } from 'kysely';

/** What the check after a purge looks for, and feedback that names a trace before its run has come. */
export const purgeProof: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  // Runs that a job deleted, until nothing of them was found: keys and names of files, no content.
  `CREATE TABLE purge_runs (
    job TEXT NOT NULL,
    run INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    labels TEXT,
    files TEXT,
    PRIMARY KEY (job, run)
  ) WITHOUT ROWID`,
  // The last feedback there was when the trace was deleted: what came later is not about that purge.
  'ALTER TABLE purge_targets ADD COLUMN last_feedback INTEGER NOT NULL DEFAULT 0',

  'ALTER TABLE feedback ADD COLUMN told_trace_id TEXT',
  'CREATE INDEX feedback_by_told_trace ON feedback (told_trace_id, workspace) WHERE told_trace_id IS NOT NULL',
  'ALTER TABLE feedback ADD COLUMN extends_retention INTEGER NOT NULL DEFAULT 1',
];
