/** After this time, the event loop gets a turn between two supersteps. */
const LONG_TURN_MS = 5;

/**
 * Yields to the event loop while graphs compute. Nodes that never await would otherwise run in one turn until
 * the run ends, without events, checkpoints or cancellation.
 */
export class LoopTurns {
  #begun: number | undefined;
  #isBusy = false;

  /** Whether graphs compute: the next turn may be long as well, and what has to leave should do so immediately. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * Called before every superstep.
   * @returns what to wait for before it begins, when it is time for a turn.
   */
  pass(): Promise<void> | undefined {
    const now = performance.now();
    this.#isBusy = this.#begun !== undefined && now - this.#begun > LONG_TURN_MS;
    if (this.#isBusy) {
      return new Promise((resolve) => {
        setImmediate(() => {
          this.#begin();
          resolve();
        });
      });
    }
    if (this.#begun === undefined) this.#begin();
    return undefined;
  }

  #begin(): void {
    this.#begun = performance.now();
    setImmediate(() => {
      this.#begun = undefined;
    });
  }
}
