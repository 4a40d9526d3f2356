import { type Kysely, type Migration, sql } from 'kysely';

/** What model calls cost, in dollars: those of a run, and those of a deployment on a day. */
export const costs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Units wait behind this, and it behind those that are being stored and who reads runs, such as a backup.
    await sql`set local lock_timeout = '3s'`.execute(db);
    await sql`alter table "runs" add column "cost" double precision not null default 0`.execute(db);
    await sql`create table "daily_costs" (
      "deployment_id" text collate "C" not null references "deployments" ("id") on delete cascade,
      "day" text collate "C" not null,
      "cost" double precision not null,
      constraint "daily_costs_pk" primary key ("deployment_id", "day")
    )`.execute(db);
  },
};
