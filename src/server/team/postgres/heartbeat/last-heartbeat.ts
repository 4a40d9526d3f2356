const MS = 1_000_000n;

/**
 * The time at which the last answered heartbeat was sent, on the clock of the process, shared by all of its
 * threads.
 */
export class LastHeartbeat {
  readonly shared: SharedArrayBuffer;
  readonly #sentAt: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#sentAt = new BigInt64Array(shared);
  }

  /** @param sentAt a time of `process.hrtime.bigint`. */
  set(sentAt: bigint): void {
    Atomics.store(this.#sentAt, 0, sentAt);
  }

  /** Called when the database cannot be reached. */
  clear(): void {
    this.set(0n);
  }

  /**
   * Whether the database has heard from this server within this many milliseconds, and is not known to be
   * unreachable.
   */
  isWithin(ms: number): boolean {
    const sentAt = Atomics.load(this.#sentAt, 0);
    return sentAt !== 0n && process.hrtime.bigint() - sentAt < BigInt(ms) * MS;
  }
}
