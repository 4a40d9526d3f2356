import { type Kysely, type Migration, sql } from 'kysely';

/** The revision on which a run began, and revisions on which runs may still end after a newer one is live. */
export const runRevisions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Who reads these tables, such as a backup, is waited for, and others wait behind this.
    await sql`set local lock_timeout = '3s'`.execute(db);
    await sql`alter table "runs" add column "revision_id" text collate "C"`.execute(db);
    await sql`alter table "revisions" add column "draining_until" text collate "C"`.execute(db);
  },
};
