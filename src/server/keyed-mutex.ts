/** Runs pieces of work with the same key one after the other, in the order of the calls. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Runs work as soon as earlier work with the same key has ended, even if it failed.
   * @returns the result of the work.
   */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const result = before === undefined ? work() : before.then(work);
    const forget = () => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    };
    const ended = result.then(forget, forget);
    this.#last.set(key, ended);
    return result;
  }
}
