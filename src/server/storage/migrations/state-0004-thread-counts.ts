import { type Kysely, type Migration, sql } from 'kysely';

/** The number of threads of each deployment, which triggers keep up to date, because every page of a search needs it. */
export const threadCounts: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('thread_counts')
      .addColumn('deployment_id', 'text', (column) =>
        column.primaryKey().references('deployments.id').onDelete('cascade'),
      )
      .addColumn('threads', 'integer', (column) => column.notNull())
      .execute();
    await sql`insert into thread_counts select deployment_id, count(*) from threads group by deployment_id`.execute(
      db,
    );
    await sql`create trigger thread_counted after insert on threads begin
      insert into thread_counts values (new.deployment_id, 1)
        on conflict (deployment_id) do update set threads = threads + 1;
    end`.execute(db);
    await sql`create trigger thread_discounted after delete on threads begin
      update thread_counts set threads = threads - 1 where deployment_id = old.deployment_id;
    end`.execute(db);
  },
};
