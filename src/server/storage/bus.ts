/** Says that something in storage has changed, such as `thread:<id>`. */
export type Topic = `${string}:${string}`;

type Listener = (news: unknown) => void;

/**
 * Wakes all that wait for a change. A hint carries nothing and may come without a change, so what is woken looks
 * again.
 */
export class Bus {
  /** After how long a wait ends without a hint; never by default. */
  protected readonly pollMs: number | undefined;
  readonly #waiting = new Map<Topic, Set<() => void>>();
  readonly #listening = new Map<string, Set<Listener>>();

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

  /**
   * Tells the other servers of a database something, as JSON, while any of them listens. It may be lost, so nothing is to be
   * told that must not be missed.
   */
  tell(_subject: string, _news: unknown): void {}

  /** Hears what other servers tell. @returns ends it. */
  listen(subject: string, listener: Listener): () => void {
    const listening = this.#listening.get(subject) ?? new Set();
    this.#listening.set(subject, listening.add(listener));
    return () => {
      listening.delete(listener);
      if (listening.size === 0) this.#listening.delete(subject);
    };
  }

  /** The subjects that have listeners. */
  protected get subjects(): Iterable<string> {
    return this.#listening.keys();
  }

  /** Passes on what another server has told. */
  protected pass(subject: string, news: unknown): void {
    for (const listener of this.#listening.get(subject) ?? []) listener(news);
  }
}
