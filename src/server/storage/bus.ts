/** The name of stored data that can change, such as `thread:<id>`. */
export type Topic = `${string}:${string}`;

type Listener = (news: unknown) => void;

/**
 * Notifies code that waits for changes of stored data. A hint carries no data and may come without a change, so code that
 * is woken must read the data.
 */
export class Bus {
  /** The polling interval: how long a wait lasts without a hint; no limit by default. */
  protected readonly pollMs: number | undefined;
  readonly #waiting = new Map<Topic, Set<() => void>>();
  readonly #listening = new Map<string, Set<Listener>>();

  /** Wakes code that waits for a topic. Call it when the change has been stored. */
  hint(topic: Topic): void {
    const waiting = this.#waiting.get(topic);
    if (waiting === undefined) return;
    this.#waiting.delete(topic);
    for (const wake of waiting) wake();
  }

  /**
   * Resolves at the next hint, after the polling interval, or when the signal is aborted. Call it before you read the data,
   * so that you miss no change.
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
   * Sends JSON to other servers of the database that listen to the subject. Messages may be lost. This class
   * belongs to a database of one server, so it sends nothing.
   */
  tell(_subject: string, _news: unknown): void {}

  /** Listens to the messages of other servers. @returns a function that stops listening. */
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
