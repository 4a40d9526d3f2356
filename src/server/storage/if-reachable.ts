import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import type { StateDatabase } from './state-database.ts';

/** Queries a database unless it cannot be reached, so that monitoring gets an answer even then. */
export async function ifReachable<Result>(
  db: Pick<StateDatabase, 'checkReachable'>,
  ask: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    db.checkReachable();
    return await ask();
  } catch (error) {
    if (error instanceof DatabaseUnreachable) return undefined;
    throw error;
  }
}
