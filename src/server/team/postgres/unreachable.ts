import { DatabaseError } from 'pg';

/**
 * The server is being stopped or started, has ended the connection (also one whose transaction took too long: 25P03, 25P04),
 * takes no more of them, or takes no writes: during a switchover, the address may still be that of a standby (25006).
 */
const OF_CONNECTIONS = /^(?:08|57P|53300|25006|25P0[34])/;

/** Whether an error is that of a connection, so that what was asked last may have been done or not. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return OF_CONNECTIONS.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** Deadlocks, transactions that cannot be put in an order, locks that were not free in time, and statements that were canceled by hand. */
const PASSING = new Set(['40P01', '40001', '55P03', '57014']);

/** Whether nothing was stored for a reason that passes, so that the same may be asked again. */
export function isPassing(error: unknown): boolean {
  return error instanceof DatabaseError && PASSING.has(error.code ?? '');
}
