/** Says that something in storage has changed, such as `thread:<id>`. */
export type Topic = `${string}:${string}`;

/**
 * Wakes all that wait for a change. A hint carries nothing and may come without a change, so what is woken looks
 * again.
 */
export class Bus {
  /** After how long a wait ends without a hint; never by default. */
  protected readonly pollMs: number | undefined;
  readonly #waiting = new Map<Topic, Set<() => void>>();

  /** Wakes those who wait for a topic. Call it when the change is stored. */
  hint(topic: Topic): void {
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) return;
    this.#waiting.delete(topic);
    for (const wake of waiting) wake();
  }

  /** Resolves at the next hint, after the time of a poll, or when the signal is aborted. Call it before reading, so that no change is missed. */
  next(topic: Topic, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(topic) ?? new Set();
      this.#waiting.set(topic, waiting);
      const poll = this.pollMs === undefined ? undefined : setTimeout(() => done(), this.pollMs).unref();
      const done = () => {
        clearTimeout(poll);
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(topic) === waiting) this.#waiting.delete(topic);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
  }
}
