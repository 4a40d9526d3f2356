/** The heartbeat's view of the main thread: whether it still increments `ticks`. */
export class MainThread {
  readonly #ticks: Int32Array;
  #seen: number;
  #seenAt = performance.now();

  /** @param ticks see `HeartbeatData`. */
  constructor(ticks: SharedArrayBuffer) {
    this.#ticks = new Int32Array(ticks);
    this.#seen = Atomics.load(this.#ticks, 0);
  }

  /**
   * For how many milliseconds the main thread has not been seen working, as precisely as the interval between calls
   * allows.
   */
  get silentMs(): number {
    const ticks = Atomics.load(this.#ticks, 0);
    if (ticks !== this.#seen) {
      this.#seen = ticks;
      this.#seenAt = performance.now();
    }
    return performance.now() - this.#seenAt;
  }
}
