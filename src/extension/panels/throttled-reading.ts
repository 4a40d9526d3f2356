/**
 * Changing data is read again after this time at the earliest, and reading never takes more than a tenth of the
 * time.
 */
const SOONEST_MS = 250;
const REST_FACTOR = 9;

export interface ThrottledReadingParts {
  /** @returns how long reading took, in milliseconds, without waiting for a connection. */
  readonly read: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

/** Reads something again after it has changed: one reading at a time, and many changes together. */
export class ThrottledReading {
  readonly #parts: ThrottledReadingParts;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStale = false;
  #isDisposed = false;
  #readMs = 0;

  constructor(parts: ThrottledReadingParts) {
    this.#parts = parts;
  }

  /** Reads now, unless it is being read. @throws the error of the reading */
  now(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#isStale) this.want();
    });
    return this.#reading;
  }

  /** Reads again soon; one reading answers all requests until then. */
  want(): void {
    this.#isStale = true;
    if (this.#timer !== undefined || this.#reading !== undefined || this.#isDisposed) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.now().catch(this.#parts.onError);
      },
      Math.max(SOONEST_MS, this.#readMs * REST_FACTOR),
    );
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    this.#isStale = false;
    this.#readMs = await this.#parts.read();
  }
}
