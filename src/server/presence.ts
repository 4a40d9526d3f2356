const CHECK_MS = 1_000;

export interface PresenceOptions {
  /** Whether something is under way that nobody needs to watch: runs, builds, purges. */
  busy(): boolean;
  /** How long nobody must be there before the server ends, in ms; undefined keeps it until it is stopped. */
  readonly graceMs: number | undefined;
  onUnused(): void;
}

/** Counts the clients that are present, and ends a server that nobody uses any more. */
export class Presence {
  readonly #options: PresenceOptions;
  #clients = 0;
  #unusedSince = Date.now();
  #impatient = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  get clients(): number {
    return this.#clients;
  }

  get busy(): boolean {
    return this.#options.busy();
  }

  /** @returns call it when the client has gone. */
  enter(): () => void {
    this.#clients++;
    // Somebody needs the server again.
    this.#impatient = false;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#clients--;
      if (this.#clients === 0) this.#unusedSince = Date.now();
      this.#check();
    };
  }

  /**
   * Ends as soon as nobody is present and nothing is under way, without the grace period.
   * @returns whether that is now.
   */
  endWhenUnused(): boolean {
    this.#impatient = true;
    // The answer leaves first.
    setImmediate(() => this.#check());
    return this.#clients === 0 && !this.#options.busy();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    if (this.#clients > 0 || this.#options.busy()) {
      this.#unusedSince = Date.now();
      return;
    }
    const { graceMs } = this.#options;
    const over = graceMs !== undefined && Date.now() - this.#unusedSince >= graceMs;
    if (this.#impatient || over) {
      this.close();
      this.#options.onUnused();
    }
  }
}
