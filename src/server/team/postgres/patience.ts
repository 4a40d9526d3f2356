import { setMaxListeners } from 'node:events';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { pause } from '../../../process/pause.ts';
import type { Waiting } from '../../storage/unit.ts';
import { isPassing } from './unreachable.ts';

/** How long requests wait, unless the server is told otherwise. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
/** Once no request waits any more: servers that all come back at once would keep a database from starting. */
const LONG_PAUSE_MS = 1_000;

/**
 * How long a server waits for a database that cannot be reached: some time for what requests ask, so that they are
 * answered, and as long as it takes for what runs have done, so that none of it is lost.
 */
export class Patience {
  readonly limitMs: number;
  readonly #end = new AbortController();

  constructor(limitMs = PATIENCE_MS) {
    this.limitMs = limitMs;
    // Each pause adds a listener.
    setMaxListeners(0, this.#end.signal);
  }

  /** From now on, nothing waits: the server stops. */
  end(): void {
    this.#end.abort();
  }

  get isEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Units that began to wait before this time of `performance.now`, and do not outlast the database, are given up. */
  get givenUpBefore(): number {
    return this.isEnded ? Number.POSITIVE_INFINITY : performance.now() - this.limitMs;
  }

  /** Whether what waits gives up. */
  isOver({ since, outlasts }: Waiting): boolean {
    return this.isEnded || (!outlasts && since < this.givenUpBefore);
  }

  /** Between two tries of what has waited since then; it ends when nothing waits any more. */
  async pause(since: number): Promise<void> {
    const isLong = since < this.givenUpBefore;
    const ms = isLong ? LONG_PAUSE_MS * (1 + Math.random()) : PAUSE_MS;
    await pause(ms, { signal: this.#end.signal });
  }

  /** Asks again while the database cannot be reached, or does not answer for a reason that passes. */
  async retry<Result>(read: () => Promise<Result>, outlasts: boolean): Promise<Result> {
    const since = performance.now();
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const mayPass = error instanceof DatabaseUnreachable || isPassing(error);
        if (!mayPass || this.isOver({ since, outlasts })) throw error;
        await this.pause(since);
        if (this.isEnded) throw error;
      }
    }
  }
}
