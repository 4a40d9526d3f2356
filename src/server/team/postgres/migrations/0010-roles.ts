import { type Kysely, type Migration, sql } from 'kysely';

/** What each server does, so that others can say what none of them does; null for one of an earlier version, which says nothing. */
export const roles: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Heartbeats wait behind this, and it behind who reads the table, such as a backup: servers would lose their leases.
    await sql`set local lock_timeout = '3s'`.execute(db);
    await sql`alter table "nodes" add column "roles" text[]`.execute(db);
  },
};
