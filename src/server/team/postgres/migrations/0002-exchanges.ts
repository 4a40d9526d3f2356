import { type Kysely, type Migration, sql } from 'kysely';

/** Migration 0009 of `state.db`. */
export const exchanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table "exchanges" (
      "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
      "run_id" text collate "C" not null,
      "ordinal" bigint not null,
      "hash" text collate "C" not null,
      "node" text collate "C" not null,
      "task" text collate "C" not null,
      "data" text collate "C" not null,
      constraint "exchanges_pk" primary key ("thread_id", "run_id", "ordinal")
    )`.execute(db);
  },
};
