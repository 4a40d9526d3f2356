import { type Kysely, type Migration, sql } from 'kysely';

/**
 * A copy of a thread reads the checkpoints of its source, up to those that were there. What the source overwrites of
 * these, its copies keep first.
 */
export const histories: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('histories')
      .addColumn('thread_id', 'text', (column) =>
        column.primaryKey().references('threads.thread_id').onDelete('cascade'),
      )
      // Without an action, so that no statement can delete a source that copies still read.
      .addColumn('base_id', 'text', (column) => column.references('threads.thread_id'))
      .addColumn('base_copies', 'integer')
      .addColumn('shared_seq', 'integer', (column) => column.notNull())
      .addColumn('copies', 'integer', (column) => column.notNull().defaultTo(0))
      .modifyEnd(sql`without rowid`)
      .execute();
    await db.schema.createIndex('histories_by_base').on('histories').column('base_id').execute();
    await db.schema
      .alterTable('checkpoint_writes')
      .addColumn('after_copies', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`create trigger checkpoint_kept before update on checkpoints
      when exists (select 1 from histories where base_id = old.thread_id and shared_seq >= old.seq) begin
      insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, data,
          channel_versions, metadata, created_at, seq)
        select thread_id, old.checkpoint_ns, old.checkpoint_id, old.parent_checkpoint_id, old.type, old.data,
          old.channel_versions, json_set(old.metadata, '$."thread_id"', thread_id), old.created_at, old.seq
        from histories where base_id = old.thread_id and shared_seq >= old.seq
        on conflict do nothing;
    end`.execute(db);
    await sql`create trigger write_kept before update on checkpoint_writes
      when exists (select 1 from histories where base_id = old.thread_id and base_copies >= old.after_copies) begin
      insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, "index", task_path, channel, type, data)
        select thread_id, old.checkpoint_ns, old.checkpoint_id, old.task_id, old."index", old.task_path, old.channel,
          old.type, old.data
        from histories where base_id = old.thread_id and base_copies >= old.after_copies
        on conflict do nothing;
    end`.execute(db);
  },
};
