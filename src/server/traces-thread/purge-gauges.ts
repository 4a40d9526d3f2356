import { gauge, type Metric } from '../metric-text.ts';
import type { UnfinishedPurges } from '../purging/purge-jobs.ts';

/** The metrics of unfinished purges. Callers get the last known numbers, and never wait for a database thread. */
export class PurgeGauges {
  readonly #read: () => Promise<UnfinishedPurges>;
  #last: UnfinishedPurges | undefined;
  #reading = false;

  constructor(read: () => Promise<UnfinishedPurges>) {
    this.#read = read;
  }

  /** Returns the last known numbers, and starts reading the current ones. */
  read(): Metric[] {
    void this.#renew();
    if (this.#last === undefined) return [];
    const { count, oldestSinceMs } = this.#last;
    const seconds = oldestSinceMs === undefined ? 0 : Math.max(0, (Date.now() - oldestSinceMs) / 1_000);
    return [
      gauge('harbor_purges_unfinished', 'Number of purges that have not ended.', count),
      gauge('harbor_purges_oldest_seconds', 'Age of the oldest purge that has not ended.', seconds),
    ];
  }

  async #renew(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    // If the numbers cannot be read, they are left out.
    this.#last = await this.#read().catch(() => undefined);
    this.#reading = false;
  }
}
