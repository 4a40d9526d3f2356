import { pause } from '../../../process/pause.ts';
import { storageProblem } from '../../http/storage-problem.ts';
import type { Logger } from '../../logger.ts';

/** First and maximum pause between attempts. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * Stores something, and retries while the storage has a temporary problem.
 * @param options.what what is stored, for the log.
 * @param options.closing aborted when the server stops.
 * @returns whether it was stored before the server stopped.
 * @throws other errors.
 */
export async function untilStored(
  store: () => Promise<void>,
  options: {
    readonly what: string;
    readonly runId: string;
    readonly logger: Logger;
    readonly closing: AbortSignal;
  },
): Promise<boolean> {
  const { what, runId, logger, closing } = options;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await store();
      return true;
    } catch (err) {
      if (storageProblem(err) === undefined) throw err;
      logger.error({ run_id: runId, err }, `could not store ${what}; retrying`);
    }
    await pause(pauseMs, { signal: closing });
    if (closing.aborted) return false;
  }
}
