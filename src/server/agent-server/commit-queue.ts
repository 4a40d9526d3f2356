import type { StateDatabase } from '../storage/state-database.ts';
import { refuseWaiting } from '../storage/sync-database.ts';
import type { Write } from '../storage/unit.ts';

interface Queued {
  readonly threadId: string;
  readonly write: Write;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Writes that wait for those before them in a lane of the database. */
interface Lane {
  queued: Queued[];
  readonly working: Promise<void>;
}

/**
 * Collects what is written in one event loop turn, or while the writes before are being stored, in one transaction.
 * Writes of a thread are applied in the order they were queued, and each promise resolves only after the commit.
 */
export class CommitQueue {
  readonly #db: StateDatabase;
  readonly #lanes = new Map<string, Lane>();

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /**
   * @param threadId the thread that is written to.
   * @throws Refused, the error of the write, or of the commit. Nothing of that write is stored then.
   */
  write(threadId: string, write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      const queued = { threadId, write, done: resolve, failed: reject };
      const key = this.#db.laneOf(threadId);
      const lane = this.#lanes.get(key);
      if (lane === undefined) this.#open(key, queued);
      else lane.queued.push(queued);
    });
  }

  /** Resolves when everything queued so far, for one thread or for all, has been committed or has failed. */
  async waitUntilSettled(threadId?: string): Promise<void> {
    if (threadId !== undefined) await this.#lanes.get(this.#db.laneOf(threadId))?.working;
    else await Promise.all([...this.#lanes.values()].map(({ working }) => working));
  }

  #open(key: string, first: Queued): void {
    const { promise: working, resolve } = Promise.withResolvers<void>();
    const lane: Lane = { queued: [first], working };
    this.#lanes.set(key, lane);
    setImmediate(() => void this.#drain(key, lane).finally(resolve));
  }

  async #drain(key: string, lane: Lane): Promise<void> {
    while (lane.queued.length > 0) {
      const batch = lane.queued;
      lane.queued = [];
      try {
        await this.#commit(batch);
        for (const { done } of batch) done();
      } catch (error) {
        await this.#oneByOne(batch, error);
      }
    }
    this.#lanes.delete(key);
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
    }, batch[0]?.threadId);
  }
}
