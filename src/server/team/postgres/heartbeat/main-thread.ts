/** The main thread as the heartbeat sees it: whether it still counts. */
export class MainThread {
  readonly #ticks: Int32Array;
  #seen: number;
  #seenAt = performance.now();

  /** @param ticks see `HeartbeatData`. */
  constructor(ticks: SharedArrayBuffer) {
    this.#ticks = new Int32Array(ticks);
    this.#seen = Atomics.load(this.#ticks, 0);
  }

  /** Since when it has not been seen to work, in milliseconds; precise to how often this is asked. */
  get silentMs(): number {
    const ticks = Atomics.load(this.#ticks, 0);
    if (ticks !== this.#seen) {
      this.#seen = ticks;
      this.#seenAt = performance.now();
    }
    return performance.now() - this.#seenAt;
  }
}
