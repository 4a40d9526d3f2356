import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Lane, type LaneOptions, type SentUnit } from './lane.ts';

/** A unit that is waiting for a lane. */
interface Queued {
  readonly unit: SentUnit;
  readonly go: (lane: Lane) => void;
  readonly giveUp: (error: DatabaseUnreachable) => void;
}

/** Stores several units at a time. Units of the same thread wait for each other in the database. */
export class Lanes {
  readonly #options: Pick<LaneOptions, 'retryPolicy'>;
  readonly #all: readonly Lane[];
  readonly #idle: Lane[];
  #waiting: Queued[] = [];

  constructor(options: Omit<LaneOptions, 'lane' | 'onAway'>, count: number) {
    this.#options = options;
    const onAway = (error: DatabaseUnreachable) => this.#onAway(error);
    this.#all = Array.from({ length: count }, (_, lane) => new Lane({ ...options, lane, onAway }));
    this.#idle = [...this.#all];
  }

  /** @throws what `Lane.store` throws. */
  async store(unit: SentUnit): Promise<void> {
    const lane = this.#idle.pop() ?? (await this.#waitForLane(unit));
    try {
      await lane.store(unit);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(lane);
      else next.go(lane);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((lane) => lane.close()));
  }

  #waitForLane(unit: SentUnit): Promise<Lane> {
    return new Promise((go, giveUp) => this.#waiting.push({ unit, go, giveUp }));
  }

  /**
   * Gives up the queued units that must not wait any longer, and tells the others how long units may wait.
   */
  #onAway(error: DatabaseUnreachable): void {
    const { retryPolicy } = this.#options;
    const all = this.#waiting;
    this.#waiting = [];
    for (const queued of all) {
      const { waiting } = queued.unit;
      if (retryPolicy.isOver(waiting))
        queued.giveUp(new DatabaseUnreachable(error.cause, { wasSent: false }));
      else {
        this.#waiting.push(queued);
        waiting.onAway?.(retryPolicy.givenUpBefore);
      }
    }
  }
}
