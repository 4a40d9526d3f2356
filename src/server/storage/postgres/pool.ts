import pg, { type ClientConfig } from 'pg';

const MAX_CONNECTIONS = 8;
const INT8 = 20;

/** Connections that give values as SQLite's do. */
export function poolOf(config: ClientConfig): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  // The next query says what is wrong.
  const pool = new pg.Pool({ ...config, max: MAX_CONNECTIONS, types }).on('error', () => {});
  // The pool hears errors of connections that it has, not of those that are in use.
  return pool.on('connect', (client) => client.on('error', () => {}));
}
