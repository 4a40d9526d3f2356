import { type Kysely, type Migration, sql } from 'kysely';

/** Parts of long bodies, and what replays that have ended were answered. They go with their thread. */
export const recordings: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('exchange_parts')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('part', 'integer', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('exchange_parts_pk', ['thread_id', 'run_id', 'ordinal', 'part'])
      .modifyEnd(sql`without rowid`)
      .execute();
    await db.schema
      .createTable('replays')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('replays_pk', ['thread_id', 'run_id'])
      .modifyEnd(sql`without rowid`)
      .execute();
  },
};
