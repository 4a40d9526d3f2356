import pg, { type ClientConfig } from 'pg';
import { type SessionSettings, setUpSession } from './begin-session.ts';

const MAX_CONNECTIONS = 8;
const INT8 = 20;

/**
 * Creates a pool of connections that return values like SQLite does.
 * @param settings additional settings for their sessions.
 */
export function poolOf(config: ClientConfig, settings?: SessionSettings): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  const onConnect = (client: pg.ClientBase) => setUpSession(client, { settings });
  // Errors of idle connections are reported here, and those of connections in use below. The next query fails with
  // them.
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, types, onConnect }).on('error', () => {});
  return pool.on('connect', (client) => client.on('error', () => {}));
}
