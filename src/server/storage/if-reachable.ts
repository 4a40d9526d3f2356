import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import { pause } from '../../process/pause.ts';
import { ignoreRejection } from '../../process/settled.ts';
import type { StateDatabase } from './state-database.ts';

/** Less than what asks for metrics waits for an answer. */
const PROMPT_MS = 1_000;

/**
 * Queries a database unless it cannot be reached, or does not answer at once, so that monitoring gets an answer even then.
 * @param promptMs how long it is waited for.
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
