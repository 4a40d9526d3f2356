import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import { pause } from '../../process/pause.ts';
import { ignoreRejection } from '../../process/settled.ts';
import type { StateDatabase } from './state-database.ts';

/** Collectors of metrics wait longer than this for a response. */
const PROMPT_MS = 1_000;

/**
 * Queries a database for monitoring, which needs a prompt response.
 * @param promptMs how long to wait for the answer.
 * @returns undefined if the database cannot be reached, or does not answer in time.
 */
export async function ifReachable<Result>(
  db: Pick<StateDatabase, 'checkReachable'>,
  ask: () => Promise<Result>,
  promptMs = PROMPT_MS,
): Promise<Result | undefined> {
  const over = new AbortController();
  try {
    db.checkReachable();
    const asked = ask();
    ignoreRejection(asked);
    const late = pause(promptMs, { signal: over.signal, ref: false }).then(() => undefined);
    return await Promise.race([asked, late]);
  } catch (error) {
    if (error instanceof DatabaseUnreachable) return undefined;
    throw error;
  } finally {
    over.abort();
  }
}
