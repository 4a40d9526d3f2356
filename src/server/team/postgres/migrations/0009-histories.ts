import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Migration 0012 of `state.db`. The reference to a base is checked when a transaction commits, because PostgreSQL
 * would otherwise refuse to delete a deployment, which deletes a source before its copies.
 */
export const histories: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table "histories" (
    "thread_id" text collate "C" primary key references "threads" ("thread_id") on delete cascade,
    "base_id" text collate "C" references "threads" ("thread_id") deferrable initially deferred,
    "base_copies" bigint,
    "shared_seq" bigint not null,
    "copies" bigint default 0 not null
  )`,
  `create index "histories_by_base" on "histories" ("base_id")`,
  `alter table "checkpoint_writes" add column "after_copies" bigint default 0 not null`,
  `create function harbor_keep_checkpoint() returns trigger language plpgsql as $$
  begin
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, data,
        channel_versions, metadata, created_at, seq)
      select thread_id, old.checkpoint_ns, old.checkpoint_id, old.parent_checkpoint_id, old.type, old.data,
        old.channel_versions,
        jsonb_set(harbor_json(old.metadata), '{thread_id}', to_jsonb(thread_id))::text, old.created_at, old.seq
      from histories where base_id = old.thread_id and shared_seq >= old.seq
      on conflict do nothing;
    return new;
  end $$`,
  `create trigger checkpoint_kept before update on checkpoints
    for each row execute function harbor_keep_checkpoint()`,
  `create function harbor_keep_write() returns trigger language plpgsql as $$
  begin
    insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, index, task_path, channel, type, data)
      select thread_id, old.checkpoint_ns, old.checkpoint_id, old.task_id, old.index, old.task_path, old.channel,
        old.type, old.data
      from histories where base_id = old.thread_id and base_copies >= old.after_copies
      on conflict do nothing;
    return new;
  end $$`,
  `create trigger write_kept before update on checkpoint_writes
    for each row execute function harbor_keep_write()`,
];
