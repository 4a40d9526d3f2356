import { Lane, type LaneOptions, type SentUnit } from './lane.ts';

/** Stores several units at a time. Those of one thread wait for each other in the database. */
export class Lanes {
  readonly #all: readonly Lane[];
  readonly #idle: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(options: Omit<LaneOptions, 'lane'>, count: number) {
    this.#all = Array.from({ length: count }, (_, lane) => new Lane({ ...options, lane }));
    this.#idle = [...this.#all];
  }

  /** @throws what `Lane.store` throws. */
  async store(unit: SentUnit): Promise<void> {
    const lane = this.#idle.pop() ?? (await new Promise<Lane>((resolve) => this.#waiting.push(resolve)));
    try {
      await lane.store(unit);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(lane);
      else next(lane);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((lane) => lane.close()));
  }
}
