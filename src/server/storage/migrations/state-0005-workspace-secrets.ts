import type { Kysely, Migration } from 'kysely';

/** Secrets of workspaces, as public clients set them. */
export const workspaceSecrets: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('workspace_secrets')
      .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id'))
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('sealed', 'blob', (column) => column.notNull())
      .addColumn('updated_at', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('workspace_secrets_key', ['workspace_id', 'key'])
      .execute();
  },
};
