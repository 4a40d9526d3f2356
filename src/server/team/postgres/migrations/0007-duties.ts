import { type Kysely, type Migration, sql } from 'kysely';

/** Which server does what one of them does at a time. Duties go with the server that has them. */
export const duties: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql
      .raw(
        `create table "duties" (
          "name" text collate "C" primary key,
          "node" bigint not null references "nodes" ("number") on delete cascade
        )`,
      )
      .execute(db);
    await sql.raw('create index "duties_by_node" on "duties" ("node")').execute(db);
  },
};
