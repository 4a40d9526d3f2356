/**
 * Divides the event loop among jobs with many small parts: one part per turn of the loop, over all jobs together.
 * Without this, a reader whose socket accepts everything at once would be served to its end before any other.
 */
export class FairQueue {
  #waiting: (() => void)[] = [];

  /** Resolves when the next part may run; first come, first served. */
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

/** Calls functions, a few per turn of the event loop, the first of them immediately. */
export function callInTurns(functions: readonly (() => void)[], perTurn: number): void {
  for (const call of functions.slice(0, perTurn)) call();
  const others = functions.slice(perTurn);
  if (others.length > 0) setImmediate(() => callInTurns(others, perTurn));
}
