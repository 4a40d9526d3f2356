import { DatabaseError } from 'pg';

/** The server is being stopped or started, has ended the connection, or takes no more of them. */
const OF_CONNECTIONS = /^(?:08|57P|53300)/;

/** Whether an error is that of a connection, so that what was asked last may have been done or not. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof DatabaseError) return OF_CONNECTIONS.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}
