import { DatabaseError } from 'pg';

/**
 * SQLSTATE codes of connection problems: the server is starting or stopping (57P), ended the connection (08; 25P03 and
 * 25P04: its transaction took too long), has no connections left (53300), or is a standby, as the address may be during
 * a switchover (25006).
 */
const CONNECTION_CODES = /^(?:08|57P|53300|25006|25P0[34])/;

/**
 * Whether an error is about the connection, so that the last statement may or may not have been executed. `pg` and Node
 * report lost connections as plain errors of many kinds. Therefore every error that PostgreSQL has not sent counts, except
 * mistakes in the code.
 */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return CONNECTION_CODES.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** The SQLSTATE code of a statement that waited too long for a lock. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** SQLSTATE codes of temporary failures: deadlock, serialization failure, lock not available, statement canceled. */
const TRANSIENT_CODES = new Set(['40P01', '40001', LOCK_NOT_AVAILABLE, '57014']);

/** Whether an error means that nothing was stored for a temporary reason, so that the transaction can be retried. */
export function isTransient(error: unknown): boolean {
  return error instanceof DatabaseError && TRANSIENT_CODES.has(error.code ?? '');
}
