import { type Kysely, type Migration, sql } from 'kysely';

/** Which servers are about to end, so that nothing more is handed to them. */
export const draining: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table "nodes" add column "is_draining" boolean not null default false`.execute(db);
  },
};
