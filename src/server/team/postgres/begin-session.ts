import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase } from 'pg';
import { ignoreRejection } from '../../../process/settled.ts';

/** How long the first answer may take, because a pooler without free connections does not answer. */
export const NO_SESSION_MS = 5_000;

/** Settings of PostgreSQL, by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Set regardless of the defaults of the database or its user. Settings that a version does not support are left
 * out.
 */
const SETTINGS: SessionSettings = {
  // Limits for interactive users would end runs whose steps wait for a table; servers enforce their own limits.
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  // After half a minute PostgreSQL notices that a machine is gone, and releases its locks.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
};

const SET = `select set_config(name, setting, false) from unnest($1::text[], $2::text[]) as own (name, setting)
  where current_setting(name, true) is not null`;

/** A connection was opened, but its first query was not answered. */
export class NoSession extends Error {
  override readonly name = 'NoSession';

  constructor() {
    super(`The connection was opened, but nothing was answered within ${NO_SESSION_MS / 1_000} seconds.`);
  }
}

/**
 * Connects, and sets up a server's session.
 * @param more settings of this connection.
 * @throws Error when it cannot be reached, NoSession
 */
export async function beginSession(client: Client, more?: SessionSettings): Promise<void> {
  await client.connect();
  try {
    await settle(client, more);
  } catch (error) {
    client.connection.stream.destroy();
    throw error;
  }
}

/** Sets up the session of a connection that a pool has opened. @throws NoSession */
export async function settle(client: ClientBase, more: SessionSettings = {}): Promise<void> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  const over = new AbortController();
  const giveUp = async () => {
    await sleep(NO_SESSION_MS, undefined, { signal: over.signal });
    throw new NoSession();
  };
  const set = client.query(SET, [settings.map(([name]) => name), settings.map(([, value]) => value)]);
  ignoreRejection(set);
  try {
    await Promise.race([set, giveUp()]);
  } finally {
    over.abort();
  }
}
