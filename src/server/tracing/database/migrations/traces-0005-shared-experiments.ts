import { type Kysely, type Migration, sql } from 'kysely';

/** Whether the share of a dataset shows its experiments too. */
export const sharedExperiments: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE shares ADD COLUMN projects INTEGER NOT NULL DEFAULT 0').execute(db);
  },
};
