import { type Kysely, type Migration, sql } from 'kysely';

/** Migration 0010 of `state.db`. */
export const runEnds: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table "runs"
      add column "last_checkpoint_id" text collate "C",
      add column "interrupts" text collate "C"`.execute(db);
  },
};
