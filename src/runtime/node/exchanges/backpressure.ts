/** Delays the data for a reader until earlier data is stored. */
export class Backpressure {
  readonly #send: () => void;
  #storing = 0;
  #isWanted = false;

  /** @param send lets more data be sent */
  constructor(send: () => void) {
    this.#send = send;
  }

  get isHeld(): boolean {
    return this.#storing > 0;
  }

  /**
   * Holds data back until `stored` resolves.
   * @param stored never rejects
   * @param isWanted whether the reader has room for more
   */
  hold(stored: Promise<void>, isWanted: boolean): void {
    this.#storing++;
    this.#isWanted ||= isWanted;
    void stored.then(() => {
      this.#storing--;
      if (this.isHeld || !this.#isWanted) return;
      this.#isWanted = false;
      this.#send();
    });
  }

  /** Called when the reader has room for more: sends it now, or when all earlier data is stored. */
  resume(): void {
    if (this.isHeld) this.#isWanted = true;
    else this.#send();
  }
}
