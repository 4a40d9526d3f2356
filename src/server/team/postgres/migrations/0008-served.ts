import { type Kysely, type Migration, sql } from 'kysely';

/** Which deployments a server serves, so that it is given only their runs; null for one of an earlier version, which says nothing. */
export const served: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table "nodes" add column "deployments" text[]`.execute(db);
  },
};
