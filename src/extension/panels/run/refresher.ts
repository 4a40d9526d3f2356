export interface RefresherOptions {
  /** A further condition that blocks refreshing. */
  readonly isFree: () => boolean;
  readonly refresh: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Refreshes after changes by others: one at a time, and never during other work. */
export class Refresher {
  readonly #options: RefresherOptions;
  /** How many pieces of work are blocking a refresh. */
  #away = 0;
  #isWanted = false;
  #isAtIt = false;
  #isClosed = false;

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  get isFree(): boolean {
    return this.#away === 0 && this.#options.isFree();
  }

  /** Something has changed: refreshes now, or as soon as nothing blocks it. */
  want(): void {
    this.#isWanted = true;
    this.refreshIfFree();
  }

  /** Refreshes if one is wanted and nothing blocks it any longer. */
  refreshIfFree(): void {
    if (!this.#isWanted || this.#isAtIt || this.#isClosed || !this.isFree) return;
    this.#isWanted = false;
    this.#isAtIt = true;
    void this.#options
      .refresh()
      .catch(this.#options.onError)
      .finally(() => {
        this.#isAtIt = false;
        this.refreshIfFree();
      });
  }

  /** Blocks refreshing until `work` has ended. */
  async keepAwayFrom<T>(work: () => Promise<T>): Promise<T> {
    this.#away++;
    try {
      return await work();
    } finally {
      this.#away--;
      this.refreshIfFree();
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
