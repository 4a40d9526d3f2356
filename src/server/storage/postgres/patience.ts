import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';

/** How long requests wait, unless the server is told otherwise. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;

/**
 * How long a server waits for a database that cannot be reached: some time for what requests ask, so that they are
 * answered, and as long as it takes for what runs have done, so that none of it is lost.
 */
export class Patience {
  readonly #limitMs: number;
  #isEnded = false;

  constructor(limitMs = PATIENCE_MS) {
    this.#limitMs = limitMs;
  }

  /** From now on, nothing waits: the server stops. */
  end(): void {
    this.#isEnded = true;
  }

  /**
   * Whether what has waited since then gives up.
   * @param since as `performance.now` says it.
   * @param outlasts whether it waits as long as it takes.
   */
  isOver(since: number, outlasts: boolean): boolean {
    return this.#isEnded || (!outlasts && performance.now() - since > this.#limitMs);
  }

  /** Between two tries. */
  pause(): Promise<void> {
    return sleep(PAUSE_MS);
  }

  /** Reads again while the database cannot be reached. */
  async retry<Result>(read: () => Promise<Result>, outlasts: boolean): Promise<Result> {
    for (const since = performance.now(); ; await this.pause()) {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof DatabaseUnreachable) || this.isOver(since, outlasts)) throw error;
      }
    }
  }
}
