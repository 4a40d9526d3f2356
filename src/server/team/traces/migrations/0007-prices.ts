import { type Kysely, type Migration, sql } from 'kysely';

/** The bill of a cost that was computed here. */
export const prices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE runs ADD COLUMN priced text').execute(db);
  },
};
