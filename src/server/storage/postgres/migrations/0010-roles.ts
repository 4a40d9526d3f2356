import { type Kysely, type Migration, sql } from 'kysely';

/** What each server does, so that others can say what none of them does; null for one of an earlier version, which says nothing. */
export const roles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table "nodes" add column "roles" text[]`.execute(db);
  },
};
