/** Runs pieces of work of the same name one after the other, in the order in which they were asked for. */
export class NamedTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Begins at once when nothing is before it. @returns what the work does, when those before it have ended, however they did. */
  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name);
    const result = before === undefined ? work() : before.then(work);
    const forget = () => {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    };
    const ended = result.then(forget, forget);
    this.#last.set(name, ended);
    return result;
  }
}
