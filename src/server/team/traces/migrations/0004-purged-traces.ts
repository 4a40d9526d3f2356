import { type Kysely, type Migration, sql } from 'kysely';

/** Traces that were purged, so that what comes late of them stays away. */
export const purgedTraces: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `CREATE TABLE purged_traces (
    workspace bigint NOT NULL,
    trace_id text COLLATE "C" NOT NULL,
    purged_at bigint NOT NULL,
    PRIMARY KEY (trace_id, workspace)
  )`,
  'CREATE INDEX purged_traces_by_time ON purged_traces (purged_at)',
];
