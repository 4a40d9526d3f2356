import pg, { type ClientConfig } from 'pg';
import { type SessionSettings, settle } from './begin-session.ts';

const MAX_CONNECTIONS = 8;
const INT8 = 20;

/**
 * Connections that give values as SQLite's do.
 * @param settings of their sessions, beside those of all.
 */
export function poolOf(config: ClientConfig, settings?: SessionSettings): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  // The next query says what is wrong.
  const onConnect = (client: pg.ClientBase) => settle(client, settings);
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, types, onConnect }).on('error', () => {});
  // The pool hears errors of connections that it has, not of those that are in use.
  return pool.on('connect', (client) => client.on('error', () => {}));
}
