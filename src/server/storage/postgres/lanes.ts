import type { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Lane, type LaneOptions, type SentUnit } from './lane.ts';

/** A unit that waits for a lane. */
interface Waiting {
  readonly unit: SentUnit;
  /** As `performance.now` says it. */
  readonly since: number;
  readonly go: (lane: Lane) => void;
  readonly giveUp: (error: DatabaseUnreachable) => void;
}

/** Stores several units at a time. Those of one thread wait for each other in the database. */
export class Lanes {
  readonly #options: Pick<LaneOptions, 'patience'>;
  readonly #all: readonly Lane[];
  readonly #idle: Lane[];
  #waiting: Waiting[] = [];

  constructor(options: Omit<LaneOptions, 'lane' | 'onAway'>, count: number) {
    this.#options = options;
    const onAway = (error: DatabaseUnreachable) => this.#onAway(error);
    this.#all = Array.from({ length: count }, (_, lane) => new Lane({ ...options, lane, onAway }));
    this.#idle = [...this.#all];
  }

  /** @throws what `Lane.store` throws. */
  async store(unit: SentUnit): Promise<void> {
    const since = performance.now();
    const lane = this.#idle.pop() ?? (await this.#waitForLane(unit, since));
    try {
      await lane.store(unit, since);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(lane);
      else next.go(lane);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((lane) => lane.close()));
  }

  #waitForLane(unit: SentUnit, since: number): Promise<Lane> {
    return new Promise((go, giveUp) => this.#waiting.push({ unit, since, go, giveUp }));
  }

  /** Units that have a lane may outlast those that wait for one. */
  #onAway(error: DatabaseUnreachable): void {
    const { patience } = this.#options;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      const { onAway } = one.unit;
      if (patience.isOver(one.since, onAway !== undefined)) one.giveUp(error);
      else {
        this.#waiting.push(one);
        onAway?.(patience.isOver(one.since, false));
      }
    }
  }
}
