import { type Kysely, type Migration, sql } from 'kysely';

/** Traces that were purged, so that what comes late of them stays away. */
export const purgedTraces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `CREATE TABLE purged_traces (
    workspace INTEGER NOT NULL,
    trace_id TEXT NOT NULL,
    purged_at INTEGER NOT NULL,
    PRIMARY KEY (trace_id, workspace)
  ) WITHOUT ROWID`,
  'CREATE INDEX purged_traces_by_time ON purged_traces (purged_at)',
];
