/** A limited number of slots, assigned in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a slot, does the work, and releases the slot.
   * @throws the signal's reason when aborted while it waits.
   */
  async use<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abandon = () => {
      const at = this.#waiting.indexOf(resolve);
      // A slot may just have been assigned.
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener('abort', abandon, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }
}
