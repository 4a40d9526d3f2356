import type { ClientConfig } from 'pg';

const CONNECT_MS = 5_000;
const KEEPALIVE_MS = 10_000;

/**
 * The options with which a server connects. A silent connection is checked, and closed if it is dead.
 * Settings are made once the connection is open (`begin-session.ts`), because poolers refuse or drop settings
 * in the connection request.
 */
export function connectionOptions(url: string, application: string): ClientConfig {
  return {
    connectionString: url,
    application_name: application,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
  };
}
