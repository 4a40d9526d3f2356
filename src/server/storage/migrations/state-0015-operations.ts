import type { Kysely, Migration } from 'kysely';

/** Pauses of deployments, limits of workspaces, and who did what. */
export const operations: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('deployments').addColumn('paused_at', 'text').execute();
    await db.schema.alterTable('workspaces').addColumn('limits', 'text').execute();
    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('organization_id', 'text', (column) =>
        column.notNull().references('organizations.id').onDelete('cascade'),
      )
      .addColumn('workspace_id', 'text')
      .addColumn('at', 'text', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('actor_name', 'text')
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('status', 'integer')
      .execute();
    await db.schema
      .createIndex('audit_events_by_workspace')
      .on('audit_events')
      .columns(['workspace_id', 'id'])
      .execute();
  },
};
