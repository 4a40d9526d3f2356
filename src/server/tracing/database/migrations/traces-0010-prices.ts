import { type Kysely, type Migration, sql } from 'kysely';

/** The itemized cost of a model call (`Priced`). */
export const prices: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE runs ADD COLUMN priced TEXT').execute(db);
  },
};
