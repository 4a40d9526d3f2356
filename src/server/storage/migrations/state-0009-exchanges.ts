import { type Kysely, type Migration, sql } from 'kysely';

/** What recorded runs asked of models and tools. They go with their thread. */
export const exchanges: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('exchanges')
      .addColumn('thread_id', 'text', (column) =>
        column.notNull().references('threads.thread_id').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('ordinal', 'integer', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
      .addColumn('node', 'text', (column) => column.notNull())
      .addColumn('task', 'text', (column) => column.notNull())
      .addColumn('data', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('exchanges_pk', ['thread_id', 'run_id', 'ordinal'])
      .modifyEnd(sql`without rowid`)
      .execute();
  },
};
