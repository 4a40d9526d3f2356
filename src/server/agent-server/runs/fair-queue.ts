/**
 * Divides the event loop among jobs with many small parts: one part per turn of the loop, over all jobs
 * together. Otherwise, a reader whose socket accepts everything at once would receive all its data before any
 * other reader.
 */
export class FairQueue {
  #waiting: (() => void)[] = [];

  /** Resolves when the caller's next part may run, in the order of the calls. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    });
  }

  readonly #next = (): void => {
    const [first, ...others] = this.#waiting;
    this.#waiting = others;
    first?.();
    if (others.length > 0) setImmediate(this.#next);
  };
}
