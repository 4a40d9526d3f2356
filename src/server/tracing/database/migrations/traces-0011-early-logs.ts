import { type Kysely, type Migration, sql } from 'kysely';

/** Log records that came before their span. */
export const earlyLogs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `CREATE TABLE early_logs (
    workspace INTEGER NOT NULL,
    trace TEXT NOT NULL,
    span TEXT NOT NULL,
    digest TEXT NOT NULL,
    data BLOB NOT NULL,
    size_bytes INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (workspace, trace, span, digest)
  )`,
];
