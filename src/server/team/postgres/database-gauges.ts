import { type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { gauge, type Metric } from '../../metric-text.ts';
import type { StateSchema } from '../../storage/state-schema.ts';

/**
 * The oldest snapshot of sessions, of standbys with feedback, of replication slots, and of prepared
 * transactions.
 */
const OLDEST = sql<{ transactions: number; seconds: number; servers: number }>`select
  coalesce(max(age), 0)::int as transactions,
  coalesce(max(extract(epoch from clock_timestamp() - began)), 0)::float8 as seconds,
  (select count(*) from nodes)::int as servers
from (
  select age(backend_xmin), xact_start from pg_stat_activity
    where backend_xmin is not null and pid <> pg_backend_pid() and (datname is null or datname = current_database())
  union all select age(xmin), null from pg_replication_slots
  union all select age(transaction), prepared from pg_prepared_xacts where database = current_database()
) as open (age, began)`;
const DEAD = sql<{ schema: string; dead: number; live: number }>`select schemaname as schema,
  sum(n_dead_tup)::float8 as dead, sum(n_live_tup)::float8 as live
from pg_stat_user_tables where schemaname in (current_schema(), 'harbor_traces') group by schemaname`;

/** Metrics of a whole database, which are the same on each of its servers. */
export async function readDatabaseGauges(db: Kysely<StateSchema>): Promise<Metric[]> {
  const [{ rows: oldest }, { rows: schemas }] = [await OLDEST.execute(db), await DEAD.execute(db)];
  const { transactions = 0, seconds = 0, servers = 0 } = oldest[0] ?? {};
  const bySchema = (pick: 'dead' | 'live') =>
    schemas.map((row) => ({ labels: { schema: row.schema }, value: row[pick] }));
  return [
    gauge('harbor_servers', 'Number of servers that use the database.', servers),
    gauge(
      'harbor_database_oldest_snapshot_transactions',
      'Number of transactions since the oldest snapshot that is open in the database.',
      transactions,
    ),
    gauge(
      'harbor_database_oldest_snapshot_seconds',
      'Age of the oldest transaction with a snapshot that is open in the database.',
      seconds,
    ),
    gauge('harbor_database_dead_rows', 'Estimated number of row versions to be vacuumed.', bySchema('dead')),
    gauge('harbor_database_rows', 'Estimated number of rows.', bySchema('live')),
  ];
}

/** Metrics of the connections that this server's queries share. */
export function poolGauges(pool: Pool, isReached: boolean): Metric[] {
  const { totalCount, idleCount, waitingCount } = pool;
  return [
    gauge('harbor_database_up', 'Whether the database can be reached.', isReached ? 1 : 0),
    gauge('harbor_database_connections', 'Number of connections for queries.', [
      { labels: { state: 'busy' }, value: totalCount - idleCount },
      { labels: { state: 'idle' }, value: idleCount },
    ]),
    gauge('harbor_database_queries_waiting', 'Number of queries that wait for a connection.', waitingCount),
  ];
}
