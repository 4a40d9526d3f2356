import type { Kysely, Migration } from 'kysely';

/** What an ended run had reached, which its thread has only until the next run. */
export const runEnds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('last_checkpoint_id', 'text').execute();
    await db.schema.alterTable('runs').addColumn('interrupts', 'text').execute();
  },
};
