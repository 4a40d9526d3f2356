import type { Kysely, Migration } from 'kysely';

/** What a server that starts must know of runs that were cut off: who was canceled, and what their readers were told. */
export const cutOffRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('cancel_action', 'text').execute();
    await db.schema.alterTable('checkpoints').addColumn('events_before', 'integer').execute();
  },
};
