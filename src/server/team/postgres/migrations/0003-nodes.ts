import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Which servers use the database, and what lets a unit of writes be stored once, by a server that is still among them.
 */
export const nodes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `create table "nodes" (
    "number" bigint generated always as identity primary key,
    "started_at" timestamptz default clock_timestamp() not null,
    "expires_at" timestamptz not null
  )`,
  `create table "node_lanes" (
    "node" bigint not null references "nodes" ("number") on delete cascade,
    "lane" int not null,
    "unit" bigint default 0 not null,
    constraint "node_lanes_pk" primary key ("node", "lane")
  ) with (fillfactor = 50)`,
  // The row of the lane is locked until the unit is stored, so that whoever deletes it waits for the unit.
  `create function harbor_begin(of_node bigint, of_lane int, this_unit bigint, of_thread text) returns void language plpgsql as $$
  begin
    update node_lanes set unit = this_unit where node = of_node and lane = of_lane and unit < this_unit;
    if not found then
      if exists (select from node_lanes where node = of_node and lane = of_lane) then
        raise exception 'this unit is stored already' using errcode = 'AH004';
      end if;
      raise exception 'other servers have taken over from this one' using errcode = 'AH003';
    end if;
    if of_thread is not null then
      perform pg_advisory_xact_lock(hashtextextended(of_thread, 0));
    end if;
  end $$`,
  // What jsonb refuses (\u0000, half a surrogate pair) is replaced: text that only is passed on stays as it is.
  `create function harbor_json(document text) returns jsonb language plpgsql immutable as $$
  begin
    return document::jsonb;
  exception when untranslatable_character or invalid_text_representation then
    return regexp_replace(
      document, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\1\\ufffd', 'g'
    )::jsonb;
  end $$`,
  `create or replace function harbor_contains(document text, pattern text) returns boolean language plpgsql immutable as $$
  begin
    return harbor_json(document) @> harbor_json(pattern);
  exception when data_exception then
    return false;
  end $$`,
];
