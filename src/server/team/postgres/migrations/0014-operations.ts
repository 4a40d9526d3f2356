import { type Kysely, type Migration, sql } from 'kysely';

/** Pauses of deployments, limits of workspaces, and who did what. */
export const operations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Who reads these tables, such as a backup, is waited for, and others wait behind this.
    await sql`set local lock_timeout = '3s'`.execute(db);
    await sql`alter table "deployments" add column "paused_at" text collate "C"`.execute(db);
    await sql`alter table "workspaces" add column "limits" text collate "C"`.execute(db);
    await sql`create table "audit_events" (
      "id" text collate "C" not null primary key,
      "organization_id" text collate "C" not null references "organizations" ("id") on delete cascade,
      "workspace_id" text collate "C",
      "at" text collate "C" not null,
      "actor" text collate "C" not null,
      "actor_name" text collate "C",
      "action" text collate "C" not null,
      "subject" text collate "C" not null,
      "status" integer
    )`.execute(db);
    await sql`create index "audit_events_by_workspace" on "audit_events" ("workspace_id", "id")`.execute(db);
  },
};
