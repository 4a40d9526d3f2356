import { conflict } from '../../http/errors.ts';
import { isRefused } from '../../storage/refused.ts';

/**
 * The maximum number of attempts. Each fails only because another writer was faster, so it takes many concurrent
 * writers to reach this.
 */
const MAX_LOOKS = 100;

/**
 * Reads, then writes the result. Reads again when the write was refused as stale, because of another writer in
 * between.
 * @throws HttpError 409 when that happens repeatedly, and the errors of `work`.
 */
export async function lookAndWrite<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    try {
      return await work();
    } catch (error) {
      if (!isRefused(error, 'stale')) throw error;
    }
  }
  throw conflict(
    'Other requests keep changing this at the same time. Nothing in this request was stored. Try again.',
  );
}
