import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Meters } from '../../meters.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { refuseWaiting } from '../../storage/sync-database.ts';
import type { Write } from '../../storage/unit.ts';

interface Queued {
  readonly threadId: string;
  readonly write: Write;
  /** Whether the write is of a run, and so waits while the database cannot be reached. */
  readonly isOfRun: boolean;
  /**
   * Whether the write is stored before those queued behind it for its thread, rather than together with them.
   */
  readonly atOnce: boolean;
  /** When the write was queued, on the clock of `performance.now`. */
  readonly since: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Writes that wait behind earlier ones in a lane of the database. */
interface Lane {
  queued: Queued[];
  readonly working: Promise<void>;
}

/**
 * Groups writes into transactions: those of one turn of the event loop, or those that arrive while earlier
 * ones are being stored. Writes of a thread are applied in the order in which they were queued, and each
 * promise resolves after the commit.
 */
export class CommitQueue {
  readonly #db: StateDatabase;
  readonly #writes: Meters['writes'];
  readonly #lanes = new Map<string, Lane>();
  /** The lanes with writes of runs that cannot reach the database. */
  readonly #cutOff = new Set<Lane>();
  /** Resolves when there are no such lanes. */
  #reconnected = Promise.withResolvers<void>();

  constructor(db: StateDatabase, { writes }: Pick<Meters, 'writes'> = new Meters()) {
    this.#db = db;
    this.#writes = writes;
  }

  /**
   * Stores a write of a request.
   * @param threadId the thread that is written to.
   * @throws Refused, the error of the write, or of the commit. The write is then not stored; with
   * DatabaseUnreachable, this is unknown.
   */
  write(threadId: string, write: Write): Promise<void> {
    return this.#queue({ threadId, write, isOfRun: false, atOnce: false });
  }

  /**
   * Stores the work of a run: waits as long as the database cannot be reached, unless the server stops.
   * @param atOnce stores it without the writes queued behind it, because a reader waits for it. Ignored if
   * the database is remote, where round trips take most of the time.
   */
  writeForRun(threadId: string, write: Write, { atOnce = false } = {}): Promise<void> {
    return this.#queue({ threadId, write, isOfRun: true, atOnce: atOnce && this.#db.isNear });
  }

  /** Resolves when the database can be reached again; undefined while no run waits for it. */
  get reconnected(): Promise<void> | undefined {
    return this.#cutOff.size === 0 ? undefined : this.#reconnected.promise;
  }

  /** Resolves when everything queued so far, for one thread or for all, has been committed or has failed. */
  async waitUntilSettled(threadId?: string): Promise<void> {
    if (threadId !== undefined) await this.#lanes.get(this.#db.laneOf(threadId))?.working;
    else await Promise.all([...this.#lanes.values()].map(({ working }) => working));
  }

  #queue(item: Pick<Queued, 'threadId' | 'write' | 'isOfRun' | 'atOnce'>): Promise<void> {
    return new Promise((done, failed) => {
      const queued = { ...item, since: performance.now(), done, failed };
      const key = this.#db.laneOf(item.threadId);
      const lane = this.#lanes.get(key);
      if (lane === undefined) this.#open(key, queued);
      else lane.queued.push(queued);
    });
  }

  #open(key: string, first: Queued): void {
    const { promise: working, resolve } = Promise.withResolvers<void>();
    const lane: Lane = { queued: [first], working };
    this.#lanes.set(key, lane);
    const drain = () => void this.#drain(key, lane).finally(resolve);
    // An urgent write does not wait until the end of this turn, in which more writes could join the commit.
    if (first.atOnce) drain();
    else setImmediate(drain);
  }

  async #drain(key: string, lane: Lane): Promise<void> {
    while (lane.queued.length > 0) {
      const batch = this.#takeBatch(lane);
      try {
        await this.#commit(batch, lane);
        for (const { done } of batch) done();
        // The reader that waits for an urgent write is served before the next write is stored.
        if (lane.queued.length > 0 && batch[0]?.atOnce) await turn();
      } catch (error) {
        // The batch may have been stored, so it must not be stored again.
        if (error instanceof DatabaseUnreachable) for (const { failed } of batch) failed(error);
        else await this.#commitOneByOne(batch, lane, error);
        await turn();
      }
    }
    this.#lanes.delete(key);
  }

  /**
   * Takes the next writes to store together. If the database is remote, they are all of runs or all of
   * requests, because runs and requests wait for the database for different times. An urgent write is taken
   * alone if that delays no other thread.
   */
  #takeBatch(lane: Lane): readonly Queued[] {
    const [first] = lane.queued;
    if (first?.atOnce && lane.queued.every(({ threadId }) => threadId === first.threadId))
      return lane.queued.splice(0, 1);
    const end = this.#db.isNear ? -1 : lane.queued.findIndex(({ isOfRun }) => isOfRun !== first?.isOfRun);
    return lane.queued.splice(0, end === -1 ? lane.queued.length : end);
  }

  /** Stores a failed batch one by one, so that a failed write does not affect the others. */
  async #commitOneByOne(batch: readonly Queued[], lane: Lane, error: unknown): Promise<void> {
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) {
      only.failed(error);
      return;
    }
    for (const queued of batch) {
      await this.#commit([queued], lane).then(queued.done, queued.failed);
      await turn();
    }
  }

  async #commit([first, ...others]: readonly Queued[], lane: Lane): Promise<void> {
    if (first === undefined) return;
    const writeAll: Write = (unit) => {
      for (const { write } of [first, ...others]) refuseWaiting(write(unit));
    };
    const { isOfRun, since, threadId } = first;
    const onAway = (givenUpBefore: number) => this.#onAway(lane, isOfRun, givenUpBefore);
    try {
      const waiting = { since, outlasts: isOfRun, onAway };
      await this.#writes.time(
        () => this.#db.commit(writeAll, threadId, waiting),
        () => ({}),
      );
    } finally {
      if (this.#cutOff.delete(lane) && this.#cutOff.size === 0) this.#reconnected.resolve();
    }
  }

  /**
   * Called while the database cannot be reached. Queued writes of requests fail after their usual time, even
   * behind writes that wait longer.
   * @param isForRun whether the write that is being stored is of a run.
   * @param givenUpBefore the time before which the queued writes of requests that fail now were queued.
   */
  #onAway(lane: Lane, isForRun: boolean, givenUpBefore: number): void {
    if (isForRun || lane.queued.some(({ isOfRun }) => isOfRun)) {
      if (this.#cutOff.size === 0) this.#reconnected = Promise.withResolvers();
      this.#cutOff.add(lane);
    }
    const isGivenUp = ({ isOfRun, since }: Queued) => !isOfRun && since < givenUpBefore;
    const givenUp = lane.queued.filter(isGivenUp);
    if (givenUp.length === 0) return;
    lane.queued = lane.queued.filter((queued) => !isGivenUp(queued));
    for (const { failed } of givenUp) failed(new DatabaseUnreachable(undefined, { wasSent: false }));
  }
}

/** Lets callers act on the result of a write before the next one is stored, which may depend on it. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
