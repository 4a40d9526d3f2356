import type { ClientConfig } from 'pg';

const CONNECT_MS = 5_000;
const KEEPALIVE_MS = 10_000;
/** PostgreSQL sees after half a minute that a machine is gone, so that what it had locked is free again. */
const SEEN_GONE =
  '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=25000';

/** How a server connects; a connection that says nothing is found out to be dead. */
export function connectionOptions(url: string, application: string): ClientConfig {
  return {
    connectionString: url,
    application_name: application,
    options: SEEN_GONE,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEPALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
  };
}
