import type { StateDatabase } from '../storage/state-database.ts';
import { refuseWaiting } from '../storage/sync-database.ts';
import type { Write } from '../storage/unit.ts';

interface Queued {
  readonly write: Write;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Collects the writes of one event loop turn, of any number of runs, in one transaction.
 * Writes are applied in the order they were queued, and each promise resolves only after the commit.
 */
export class CommitQueue {
  readonly #db: StateDatabase;
  #queued: Queued[] = [];
  #working: Promise<void> | undefined;

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** @throws Refused, the error of the write, or of the commit. Nothing of that write is stored then. */
  write(write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queued.push({ write, done: resolve, failed: reject });
      this.#working ??= new Promise<void>((settled) => {
        setImmediate(() => void this.#drain().finally(settled));
      });
    });
  }

  /** Resolves when everything queued so far has been committed or has failed. */
  async waitUntilSettled(): Promise<void> {
    await this.#working;
  }

  async #drain(): Promise<void> {
    while (this.#queued.length > 0) {
      const batch = this.#queued;
      this.#queued = [];
      try {
        await this.#commit(batch);
        for (const { done } of batch) done();
      } catch (error) {
        await this.#oneByOne(batch, error);
      }
    }
    this.#working = undefined;
  }

  /** A failed write must not affect the others of its turn. */
  async #oneByOne(batch: readonly Queued[], error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) {
      only.failed(error);
      return;
    }
    for (const queued of batch) {
      await this.#commit([queued]).then(queued.done, queued.failed);
      // Waiting code runs before the next batch is written.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #commit(batch: readonly Queued[]): Promise<void> {
    return this.#db.commit((unit) => {
      for (const { write } of batch) refuseWaiting(write(unit));
    });
  }
}
