import type { ClientBase } from 'pg';

/** Rolls back a failed transaction. If the connection has broken, PostgreSQL does so itself. */
export async function rollBack(client: ClientBase): Promise<void> {
  await client.query('rollback').catch(() => {});
}
