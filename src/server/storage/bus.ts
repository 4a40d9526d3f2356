/** The name of something in storage that can change, such as `thread:<id>`. */
export type Topic = `${string}:${string}`;

type Listener = (news: unknown) => void;

/**
 * Wakes everything that waits for a change. A hint carries no data and may come without a change, so the woken
 * code checks again.
 */
export class Bus {
  /** How long a wait lasts without a hint; without limit by default. */
  protected readonly pollMs: number | undefined;
  readonly #waiting = new Map<Topic, Set<() => void>>();
  readonly #listening = new Map<string, Set<Listener>>();

  /** Wakes code that waits for a topic. To be called when the change has been stored. */
  hint(topic: Topic): void {
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) return;
    this.#waiting.delete(topic);
    for (const wake of waiting) wake();
  }

  /**
   * Resolves at the next hint, after the polling interval, or when the signal is aborted. To be called before reading,
   * so that no change is missed.
   */
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
   * Sends JSON to the other servers of a database, if any of them listens. Messages may be lost, so they must not be
   * essential.
   */
  tell(_subject: string, _news: unknown): void {}

  /** Receives what other servers send. @returns a function that ends it. */
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

  /** Passes on a message from another server. */
  protected pass(subject: string, news: unknown): void {
    for (const listener of this.#listening.get(subject) ?? []) listener(news);
  }
}
