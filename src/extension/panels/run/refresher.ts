interface RefresherOptions {
  /** Returns false while something else blocks refreshing. */
  readonly isFree: () => boolean;
  readonly refresh: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Refreshes after changes by others: one at a time, and never during other work. */
export class Refresher {
  readonly #options: RefresherOptions;
  /** How many pieces of work block a refresh. */
  #blockers = 0;
  #isWanted = false;
  #isRefreshing = false;
  #isClosed = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  get isFree(): boolean {
    return this.#blockers === 0 && this.#options.isFree();
  }

  /** Refreshes now, or as soon as nothing blocks it. */
  want(): void {
    this.#isWanted = true;
    this.refreshIfFree();
  }

  /** Starts the wanted refresh, unless something still blocks it. */
  refreshIfFree(): void {
    if (!this.#isWanted || this.#isRefreshing || this.#isClosed || !this.isFree) return;
    this.#isWanted = false;
    this.#isRefreshing = true;
    void this.#options
      .refresh()
      .catch(this.#options.onError)
      .finally(() => {
        this.#isRefreshing = false;
        this.refreshIfFree();
      });
  }

  /** Blocks refreshing until `work` has ended. */
  async blockDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#blockers++;
    try {
      return await work();
    } finally {
      this.#blockers--;
      this.refreshIfFree();
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
