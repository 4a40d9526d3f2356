import { conflict } from '../../http/errors.ts';
import { isRefused } from '../../storage/refused.ts';

/** Each time, another writer was faster, so only a great many writers at the same time come near this. */
const MAX_LOOKS = 100;

/**
 * Reads, and writes what follows from it. Reads again when the write was refused as stale, because
 * another writer came between.
 * @throws HttpError 409 when that happens again and again, and whatever `work` throws.
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
    'Others keep changing this at the same time. Nothing of this request was stored. Try again.',
  );
}
