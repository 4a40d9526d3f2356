import { type Kysely, type Migration, sql } from 'kysely';

/** Migration 0011 of `state.db`. */
export const recordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create table "exchange_parts" (
      "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
      "run_id" text collate "C" not null,
      "ordinal" bigint not null,
      "part" bigint not null,
      "data" text collate "C" not null,
      constraint "exchange_parts_pk" primary key ("thread_id", "run_id", "ordinal", "part")
    )`.execute(db);
    await sql`create table "replays" (
      "thread_id" text collate "C" not null references "threads" ("thread_id") on delete cascade,
      "run_id" text collate "C" not null,
      "data" text collate "C" not null,
      constraint "replays_pk" primary key ("thread_id", "run_id")
    )`.execute(db);
  },
};
