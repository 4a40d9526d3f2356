import type { Client, ClientBase } from 'pg';
import { ResponseTimeoutError } from './response-timeouts.ts';
import { withTimeout } from './with-timeout.ts';

/** How long the first answer may take: a pooler without free connections does not answer. */
export const NO_SESSION_MS = 5_000;

/** Settings of PostgreSQL, by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Settings that are made regardless of the defaults of the database or its user. Those that a version does not support
 * are left out.
 */
const SETTINGS: SessionSettings = {
  // Limits for interactive users would end runs whose steps wait for a table; servers enforce their own limits.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  // With these settings, PostgreSQL notices after half a minute that a machine is gone, and releases its
  // locks.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
};

const SET = `select set_config(name, setting, false), pg_is_in_recovery()::int as is_standby from unnest($1::text[], $2::text[]) as own (name, setting)
  where current_setting(name, true) is not null`;

/** Thrown when a connection was opened, but its first query was not answered. */
export class NoSession extends Error {
  override readonly name = 'NoSession';

  constructor() {
    super(`The connection was opened, but nothing was answered within ${NO_SESSION_MS / 1_000} seconds.`);
  }
}

/**
 * Thrown when the address leads to a standby, as it may during a failover. The standby may not have applied everything
 * that was acknowledged, so it must not even answer reads.
 */
export class OnStandby extends Error {
  override readonly name = 'OnStandby';

  constructor() {
    super('The database is a standby, which cannot be written to.');
  }
}

export interface SessionOptions {
  /** Settings for this connection. */
  readonly settings?: SessionSettings | undefined;
  /** Whether the connection may lead to a standby, as for a replica. */
  readonly mayBeStandby?: boolean;
}

/**
 * Connects, and sets up a server's session.
 * @throws Error if the database cannot be reached, NoSession, OnStandby
 */
export async function beginSession(client: Client, options?: SessionOptions): Promise<void> {
  await client.connect();
  try {
    await setUpSession(client, options);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
}

/** Sets up the session of a connection that a pool has opened. @throws NoSession, OnStandby */
export async function setUpSession(
  client: ClientBase,
  { settings: more, mayBeStandby = false }: SessionOptions = {},
): Promise<void> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  const set = client.query<{ is_standby: number }>(SET, [
    settings.map(([name]) => name),
    settings.map(([, value]) => value),
  ]);
  const { rows } = await withTimeout(set, NO_SESSION_MS).catch((error: unknown) => {
    throw error instanceof ResponseTimeoutError ? new NoSession() : error;
  });
  if (!mayBeStandby && rows[0]?.is_standby === 1) throw new OnStandby();
}
