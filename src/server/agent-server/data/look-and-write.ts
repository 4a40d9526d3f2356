import { conflict } from '../../http/errors.ts';
import { isRefused } from '../../storage/refused.ts';

/**
 * Each attempt fails only because another writer was faster, so only many concurrent writers can reach this
 * number.
 */
const MAX_LOOKS = 100;

const NOTHING_STORED =
  'Other requests keep changing this at the same time. Nothing in this request was stored. Try again.';

/**
 * Repeats work that reads and then writes, as long as its write is refused as stale because another writer
 * was faster.
 * @param givenUp the message of the error if that happens too often.
 * @throws HttpError 409 if that happens too often, and the errors of `work`.
 */
export async function lookAndWrite<Result>(
  work: () => Promise<Result>,
  givenUp = NOTHING_STORED,
): Promise<Result> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    try {
      return await work();
    } catch (error) {
      if (!isRefused(error, 'stale')) throw error;
    }
  }
  throw conflict(givenUp);
}
