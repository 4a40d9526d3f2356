/** The options of waiting for a permit. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Called whenever an operation makes progress, so that only silence counts against a time limit. */
  readonly onProgress?: (() => void) | undefined;
}

/**
 * Lets a few operations run at once. An operation that hangs blocks only those that wait for this semaphore.
 * Progress of a running operation is also reported to those that wait.
 */
export class Semaphore {
  readonly #waiting = new Map<() => void, Waiting>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs work when it is its turn. @throws the signal's reason if it is aborted before the work could begin. */
  async run<Result>(waiting: Waiting, work: (onProgress: () => void) => Promise<Result>): Promise<Result> {
    await this.#begin(waiting);
    const onProgress = () => {
      waiting.onProgress?.();
      for (const { onProgress } of this.#waiting.values()) onProgress?.();
    };
    try {
      return await work(onProgress);
    } finally {
      this.#end();
      onProgress();
    }
  }

  async #begin(waiting: Waiting): Promise<void> {
    const { signal } = waiting;
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(resolve);
      reject(signal?.reason);
    };
    this.#waiting.set(resolve, waiting);
    signal?.addEventListener('abort', giveUp);
    await promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  /** Admits the operation that has waited longest. */
  #end(): void {
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
