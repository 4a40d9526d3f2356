import { type Kysely, type Migration, sql } from 'kysely';

/** Why a span that waited could not be stored as a run, and roots that stand in for those that have not come. */
export const refusedSpans: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  'ALTER TABLE early_spans ADD COLUMN refused text COLLATE "C"',
  'DROP INDEX early_spans_waiting',
  'CREATE INDEX early_spans_waiting ON early_spans (received_at) WHERE run IS NULL AND refused IS NULL',
  `CREATE INDEX early_spans_standing_in ON early_spans (received_at) WHERE span = '' AND refused IS NULL`,
];
