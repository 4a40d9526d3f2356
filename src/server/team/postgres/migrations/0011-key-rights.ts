import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Keys have rights. Those that people were given keep what they could do until now, which is everything; those that the
 * servers made for graphs keep what they were made for.
 */
export const keyRights: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`alter table "api_keys"
      add column "rights" text not null default '[]', add column "projects" text, add column "deployment_id" text`.execute(
      db,
    );
    await sql`update "api_keys" set "rights" = '["trace","run","read","write","sign-in","deploy","admin"]'`.execute(
      db,
    );
    await sql`update "api_keys" set "rights" = '["trace","run","read","write"]'
      where "name" = 'Agents served from folders'`.execute(db);
    await sql`update "api_keys" set "rights" = '["trace","run","sign-in"]',
        "deployment_id" = "deployments"."id", "projects" = json_build_array("deployments"."name")::text
      from "deployments" where "api_keys"."name" = 'Deployment ' || "deployments"."id"`.execute(db);
    await sql`create index "api_keys_by_deployment" on "api_keys" ("deployment_id")`.execute(db);
  },
};
