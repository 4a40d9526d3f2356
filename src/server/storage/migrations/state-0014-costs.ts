import { type Kysely, type Migration, sql } from 'kysely';

/** What model calls cost, in dollars: those of a run, and those of a deployment on a day. */
export const costs: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('runs')
      .addColumn('cost', 'real', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('daily_costs')
      .addColumn('deployment_id', 'text', (column) =>
        column.notNull().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('cost', 'real', (column) => column.notNull())
      .addPrimaryKeyConstraint('daily_costs_pk', ['deployment_id', 'day'])
      .modifyEnd(sql`without rowid`)
      .execute();
  },
};
