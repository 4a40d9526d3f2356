import { sql } from 'kysely';
import type { Logger } from '../../logger.ts';
import type { StateDatabase } from '../../storage/state-database.ts';

/**
 * The maximum number of connections of a server: six lanes, eight for other queries, and those for traces,
 * notifications, its heartbeat and its start.
 */
export const CONNECTIONS_PER_SERVER = 20;

/** Logs a warning if the current servers of a database may use more connections than its settings allow. */
export async function warnOfConnections(db: StateDatabase, logger: Pick<Logger, 'warn'>): Promise<void> {
  const { rows } = await sql<{ allowed: number; servers: number }>`
    select (select count(*) from nodes where expires_at > clock_timestamp())::int as servers, least(
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(nullif(current_setting('reserved_connections', true), '')::int, 0),
      (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
      (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
    )::int as allowed`.execute(db);
  const [row] = rows;
  const needed = (row?.servers ?? 0) * CONNECTIONS_PER_SERVER;
  if (row === undefined || row.allowed >= needed) return;
  logger.warn(
    row,
    `The database allows ${row.allowed} connections, and its servers use up to ${needed}, ${CONNECTIONS_PER_SERVER} each: requests wait, and are answered with 503, when there are none left. Set max_connections of PostgreSQL to ${CONNECTIONS_PER_SERVER} for each server and 3 more, or raise the CONNECTION LIMIT of the user or the database.`,
  );
}
