/** Who waits for a turn. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Called whenever something goes on, so that only silence is waited for in vain. */
  readonly heard?: (() => void) | undefined;
}

/** Lets few things go on at once, so that those which never end hold up no others than those that wait here. */
export class Turns {
  readonly #waiting = new Map<() => void, Waiting>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws the signal's reason when it is aborted before there was a turn. */
  async take<Result>(waiting: Waiting, work: (heard: () => void) => Promise<Result>): Promise<Result> {
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

  /** Gives the turn to the one that has waited longest. */
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
