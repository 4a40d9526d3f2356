import { type Kysely, type Migration, sql } from 'kysely';

/** Every right that there was when keys came to have rights. */
const ALL = '["trace","run","read","write","sign-in","deploy","admin"]';

/**
 * Keys have rights. Those that people were given keep what they could do until now, which is everything; those that the
 * server made for graphs keep what they were made for.
 */
export const keyRights: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('api_keys')
      .addColumn('rights', 'text', (column) => column.notNull().defaultTo('[]'))
      .execute();
    await db.schema.alterTable('api_keys').addColumn('projects', 'text').execute();
    await db.schema.alterTable('api_keys').addColumn('deployment_id', 'text').execute();
    await sql`update api_keys set rights = ${ALL}`.execute(db);
    await sql`update api_keys set rights = '["trace","run","read","write"]'
      where name = 'Agents served from folders'`.execute(db);
    await sql`update api_keys set rights = '["trace","run","sign-in"]',
        deployment_id = substr(name, 12),
        projects = (select json_array(name) from deployments where id = substr(api_keys.name, 12))
      where name like 'Deployment %' and substr(name, 12) in (select id from deployments)`.execute(db);
    await db.schema.createIndex('api_keys_by_deployment').on('api_keys').column('deployment_id').execute();
  },
};
