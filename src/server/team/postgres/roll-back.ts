import type { ClientBase } from 'pg';

/** Gives up a transaction that has failed. Without a connection, PostgreSQL does so itself. */
export async function rollBack(client: ClientBase): Promise<void> {
  await client.query('rollback').catch(() => {});
}
