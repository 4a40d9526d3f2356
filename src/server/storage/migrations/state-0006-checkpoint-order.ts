import { type Kysely, type Migration, sql } from 'kysely';

/**
 * The order in which a thread's checkpoints were stored. LangGraph's ids have the time in them, which runs backwards when
 * the clock is set back; until now they were the order, and stay it for what is stored already.
 */
export const checkpointOrder: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('checkpoints')
      .addColumn('seq', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update checkpoints set seq = numbered.seq from (
      select rowid as id, row_number() over (partition by thread_id order by checkpoint_id, checkpoint_ns) as seq
      from checkpoints
    ) as numbered where checkpoints.rowid = numbered.id`.execute(db);
    await db.schema
      .createIndex('checkpoints_by_seq')
      .on('checkpoints')
      .columns(['thread_id', 'checkpoint_ns', 'seq'])
      .execute();
    await db.schema.createIndex('checkpoints_last').on('checkpoints').columns(['thread_id', 'seq']).execute();
  },
};
