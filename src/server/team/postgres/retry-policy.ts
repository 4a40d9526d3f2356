import { setMaxListeners } from 'node:events';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { pause } from '../../../process/pause.ts';
import type { Waiting } from '../../storage/unit.ts';
import { isTransient } from './error-kinds.ts';

/** How long requests wait by default. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 100;
/**
 * The pause once the time limit for requests has passed. It is long, and partly random, because servers that
 * all return at once would keep a database from starting.
 */
const LONG_PAUSE_MS = 1_000;

/**
 * How long a server waits for an unreachable database: a limited time for requests, so that they are answered, and
 * without limit for the work of runs, so that none of it is lost.
 */
export class RetryPolicy {
  readonly limitMs: number;
  readonly #end = new AbortController();

  constructor(limitMs = PATIENCE_MS) {
    this.limitMs = limitMs;
    // Each pause adds a listener.
    setMaxListeners(0, this.#end.signal);
  }

  /** From now on, nothing waits, because the server is stopping. */
  end(): void {
    this.#end.abort();
  }

  get isEnded(): boolean {
    return this.#end.signal.aborted;
  }

  /** Units that started waiting before this time of `performance.now()`, and have a time limit, are given up. */
  get givenUpBefore(): number {
    return this.isEnded ? Number.POSITIVE_INFINITY : performance.now() - this.limitMs;
  }

  /** Whether a waiting unit is to be given up. */
  isOver({ since, outlasts }: Waiting): boolean {
    return this.isEnded || (!outlasts && since < this.givenUpBefore);
  }

  /**
   * Pauses between two attempts, depending on how long the caller has waited; ends early when nothing may wait any
   * longer.
   */
  async pause(since: number): Promise<void> {
    const isLong = since < this.givenUpBefore;
    const ms = isLong ? LONG_PAUSE_MS * (1 + Math.random()) : PAUSE_MS;
    await pause(ms, { signal: this.#end.signal });
  }

  /**
   * Reads, and repeats the read while the database cannot be reached or fails for a temporary reason.
   * @param outlasts whether to try without a time limit.
   * @throws the last error after the time limit or when the server stops; any other error at once.
   */
  async retry<Result>(read: () => Promise<Result>, outlasts: boolean): Promise<Result> {
    const since = performance.now();
    for (;;) {
      try {
        return await read();
      } catch (error) {
        const mayPass = error instanceof DatabaseUnreachable || isTransient(error);
        if (!mayPass || this.isOver({ since, outlasts })) throw error;
        await this.pause(since);
        if (this.isEnded) throw error;
      }
    }
  }
}
