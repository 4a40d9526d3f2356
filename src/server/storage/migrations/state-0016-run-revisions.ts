import type { Kysely, Migration } from 'kysely';

/** The revision on which a run began, and revisions on which runs may still end after a newer one is live. */
export const runRevisions: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('revision_id', 'text').execute();
    await db.schema.alterTable('revisions').addColumn('draining_until', 'text').execute();
  },
};
