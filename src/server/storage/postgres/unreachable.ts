import { DatabaseError } from 'pg';

/**
 * The server is being stopped or started, has ended the connection, takes no more of them, or takes no writes: during a
 * switchover, the address may still be that of a standby (25006).
 */
const OF_CONNECTIONS = /^(?:08|57P|53300|25006)/;

/** Whether an error is that of a connection, so that what was asked last may have been done or not. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return OF_CONNECTIONS.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}
