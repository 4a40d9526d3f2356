import { Client, DatabaseError, type QueryResultRow } from 'pg';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import { NO_SESSION_MS, NoSession } from './begin-session.ts';
import { connectionOptions } from './connection-options.ts';
import { endConnection } from './end-connection.ts';
import { ResponseTimeoutError } from './response-timeouts.ts';
import { withTimeout } from './with-timeout.ts';

/** How many times to check: another client of a pooler may interfere with a check. */
const ROUNDS = 3;

/**
 * Checks that a connection keeps its session, as locks, notifications and settings require.
 * @throws DataFolderError when a pooler passes the session of one connection to another; NoSession when
 * nothing is answered; connection errors.
 */
export async function requireSessionPooling(url: string, application: string): Promise<void> {
  // The next query fails and reports an error of the connection.
  const makeClient = () => new Client(connectionOptions(url, application)).on('error', () => {});
  const one = makeClient();
  const other = makeClient();
  try {
    await one.connect();
    await other.connect();
    if (await areShared(one, other)) throw sharedSessions();
  } catch (error) {
    throw error instanceof ResponseTimeoutError ? new NoSession() : error;
  } finally {
    await Promise.all([endConnection(one), endConnection(other)]);
  }
}

async function areShared(one: Client, other: Client): Promise<boolean> {
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const session = await sessionOf(one);
      await ask(other, 'begin');
      const isTaken = (await sessionOf(other)) === session || (await sessionOf(one)) !== session;
      await ask(other, 'rollback');
      if (isTaken) return true;
    }
    return false;
  } catch (error) {
    // PgBouncer refuses a transaction with this message in its statement mode.
    if (error instanceof DatabaseError && /statement pooling/.test(error.message)) return true;
    throw error;
  }
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const [row] = await ask<{ pid: number }>(client, 'select pg_backend_pid() as pid');
  return row?.pid;
}

/** Each answer has the whole time: a pooler without free connections gives none, and a slow network delays all. */
async function ask<Row extends QueryResultRow>(client: Client, sql: string): Promise<readonly Row[]> {
  return (await withTimeout(client.query<Row>(sql), NO_SESSION_MS)).rows;
}

function sharedSessions(): DataFolderError {
  return new DataFolderError(
    'The URL of the database points to a pooler that shares sessions between clients (transaction or statement mode). A server needs its own sessions for its locks and notifications. Use the address of PostgreSQL itself, or have the pooler keep sessions: in PgBouncer pool_mode = session, and default_pool_size 20 for each server.',
  );
}
