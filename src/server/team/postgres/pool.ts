import pg, { type ClientConfig } from 'pg';
import { type SessionSettings, settle } from './begin-session.ts';

const MAX_CONNECTIONS = 8;
const INT8 = 20;

/**
 * Creates a pool of connections that return values like SQLite does. @param settings additional settings for their
 * sessions.
 */
export function poolOf(config: ClientConfig, settings?: SessionSettings): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  // The next query reports the error.
  const onConnect = (client: pg.ClientBase) => settle(client, { settings });
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, types, onConnect }).on('error', () => {});
  // The pool reports errors of idle connections, but not of those in use.
  return pool.on('connect', (client) => client.on('error', () => {}));
}
