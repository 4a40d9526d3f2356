import type { Kysely, Migration } from 'kysely';

/** In which workspace an OAuth provider was made: all of the organization use it, that one may change it. */
export const providerWorkspace: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('oauth_providers').addColumn('workspace_id', 'text').execute();
  },
};
