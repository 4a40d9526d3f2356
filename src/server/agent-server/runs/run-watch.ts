/** Wakes followers of a thread when a run was accepted on it or it was deleted. */
export class RunWatch {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Signals a change of the thread's runs. */
  changed(threadId: string): void {
    const waiting = this.#waiting.get(threadId);
    if (waiting === undefined) return;
    this.#waiting.delete(threadId);
    for (const wake of waiting) wake();
  }

  /** Resolves at the next change, or when the signal is aborted. Call it before reading, so that no change is missed. */
  next(threadId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(threadId) ?? new Set();
      this.#waiting.set(threadId, waiting);
      const done = () => {
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(threadId) === waiting) this.#waiting.delete(threadId);
        signal.removeEventListener('abort', done);
        resolve();
      };
      waiting.add(done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
  }
}
