/** Runs pieces of work with the same key one after the other, in the order in which they were asked for. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Begins at once when nothing is before it. @returns what the work does, when those before it have ended, however they did. */
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
