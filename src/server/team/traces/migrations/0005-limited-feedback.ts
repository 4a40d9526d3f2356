import { type Kysely, type Migration, sql } from 'kysely';

/** The one project in which feedback is good for a run that has not come; null for any. */
export const limitedFeedback: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw('ALTER TABLE feedback ADD COLUMN only_session_id text COLLATE "C"').execute(db);
  },
};
