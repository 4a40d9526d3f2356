/** The options of waiting for a permit. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Called at each sign of life, so that only silence counts against the limit. */
  readonly heard?: (() => void) | undefined;
}

/** Lets a few operations run at once; one that hangs only blocks those that wait here. */
export class Semaphore {
  readonly #waiting = new Map<() => void, Waiting>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the signal's reason if it is aborted before the work could begin. */
  async run<Result>(waiting: Waiting, work: (heard: () => void) => Promise<Result>): Promise<Result> {
    await this.#begin(waiting);
    const heard = () => {
      waiting.heard?.();
      for (const { heard } of this.#waiting.values()) heard?.();
    };
    try {
      return await work(heard);
    } finally {
      this.#end();
      heard();
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
