import { type Kysely, type Migration, sql } from 'kysely';

/**
 * While somebody has a snapshot open, such as that of a dump, PostgreSQL keeps every version of a row, and whoever looks for
 * the newest walks through them. So units of a lane are counted in another row for every 64 of them, and the unfinished runs
 * of a thread are found without those of other threads that were unfinished.
 */
export const snapshots: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    // Units wait behind this, and it behind those that are being stored and who reads runs, such as a backup.
    await sql`set local lock_timeout = '3s'`.execute(db);
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `drop index "runs_unfinished"`,
  `create index "runs_unfinished_by_thread" on "runs" ("deployment_id", "thread_id") where "status" in ('pending', 'running')`,
  `create table "node_spans" (
    "node" bigint not null,
    "lane" int not null,
    "span" bigint not null,
    "unit" bigint not null,
    constraint "node_spans_pk" primary key ("node", "lane", "span"),
    constraint "node_spans_lane_fk" foreign key ("node", "lane") references "node_lanes" ("node", "lane") on delete cascade
  ) with (fillfactor = 50)`,
  // The row of the span, or of the lane when a span begins, is locked until the unit is stored, so that whoever deletes them
  // waits for the unit. Before this migration, units were counted in the lane's row.
  `create or replace function harbor_begin(of_node bigint, of_lane int, this_unit bigint, of_thread text) returns void language plpgsql as $$
  declare
    this_span bigint := this_unit / 64;
    last_unit bigint;
  begin
    update node_spans set unit = this_unit
      where node = of_node and lane = of_lane and span = this_span and unit < this_unit;
    if not found then
      select unit into last_unit from node_lanes where node = of_node and lane = of_lane for no key update;
      if not found then
        raise exception 'other servers have taken over from this one' using errcode = 'AH003';
      end if;
      insert into node_spans (node, lane, span, unit)
        select of_node, of_lane, this_span, this_unit where last_unit < this_unit
        on conflict do nothing;
      if not found then
        raise exception 'this unit is stored already' using errcode = 'AH004';
      end if;
      delete from node_spans where node = of_node and lane = of_lane and span = this_span - 1;
    end if;
    if of_thread is not null then
      perform pg_advisory_xact_lock(hashtextextended(of_thread, 0));
    end if;
  end $$`,
];
