import type { Kysely, Migration } from 'kysely';

/**
 * For runs that were running when the server ended: whether they were to be canceled, and which events readers had
 * already received.
 */
export const cutOffRuns: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('runs').addColumn('cancel_action', 'text').execute();
    await db.schema.alterTable('checkpoints').addColumn('events_before', 'integer').execute();
  },
};
