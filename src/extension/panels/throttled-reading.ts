/** The minimum pause before changed data is read again. */
const MIN_PAUSE_MS = 250;
/**
 * The pause is this many times as long as the last reading, so that reading takes at most a tenth of the
 * time.
 */
const PAUSE_FACTOR = 9;

interface ThrottledReadingParts {
  /** @returns how long reading took, in milliseconds, without the wait for a connection */
  readonly read: () => Promise<number>;
  readonly onError: (error: unknown) => void;
}

/** Reads data again after it has changed: one reading at a time, and one reading for many changes. */
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

  /** Reads now, or waits for the reading in progress. @throws the error of the reading */
  readNow(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
      if (this.#isStale) this.readSoon();
    });
    return this.#reading;
  }

  /** Reads again soon; one reading answers all calls until then. */
  readSoon(): void {
    this.#isStale = true;
    if (this.#timer !== undefined || this.#reading !== undefined || this.#isDisposed) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.readNow().catch(this.#parts.onError);
      },
      Math.max(MIN_PAUSE_MS, this.#readMs * PAUSE_FACTOR),
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
