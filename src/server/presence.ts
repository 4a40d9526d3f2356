/** The interval between checks whether the server is still needed. */
const CHECK_MS = 1_000;

/**
 * The minimum time for which a server waits for its first client, which may take a while to connect on a busy
 * machine.
 */
const FIRST_CLIENT_MS = 15_000;

export interface PresenceOptions {
  /** The idle time after which the server exits, in ms; undefined if it keeps running until it is stopped. */
  readonly graceMs: number | undefined;
  onUnused(): void;
  /** The time in ms after which a disconnected holder of folders counts as gone; longer than a window needs to reload. */
  readonly holderGraceMs: number;
  /**
   * Called when a holder counts as gone.
   * @returns whether its folders were closed; if not, because runs are in progress, the function is called again.
   */
  onHolderGone(holder: string): boolean;
}

/** A client that holds folders open. */
interface Holder {
  /** The number of its connections. */
  clients: number;
  /** When its last connection ended, in ms since the epoch. */
  awaySince: number;
}

/** Counts connected clients, closes the folders of clients that have left, and stops an unused server. */
export class Presence {
  readonly #options: PresenceOptions;
  readonly #busy: (() => boolean)[] = [];
  readonly #holders = new Map<string, Holder>();
  #clients = 0;
  #keepers = 0;
  #unusedSince = Date.now();
  #hasBeenUsed = false;
  #endsSoon = false;
  readonly #timer: NodeJS.Timeout;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
  }

  get clients(): number {
    return this.#clients;
  }

  /** Whether the server runs until it is stopped: it was started without a grace period, or a client keeps it running. */
  get staysUp(): boolean {
    return this.#options.graceMs === undefined || this.#keepers > 0;
  }

  /** Whether background work is in progress: runs, builds, purges. */
  get busy(): boolean {
    return this.#busy.some((isBusy) => isBusy());
  }

  /** Keeps the server up while `isBusy` returns true, even with no client connected. */
  stayWhile(isBusy: () => boolean): void {
    this.#busy.push(isBusy);
  }

  /**
   * Called when a client connects.
   * @param client.holder the client's name, if it opens folders.
   * @param client.keeps whether the client keeps the server running.
   * @returns a function to call when the client has disconnected.
   */
  enter({ holder, keeps = false }: { holder?: string | undefined; keeps?: boolean | undefined }): () => void {
    this.#clients++;
    if (keeps) this.#keepers++;
    this.#hasBeenUsed = true;
    const held = holder === undefined ? undefined : this.#enterHolder(holder);
    // The server is needed again.
    this.#endsSoon = false;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#clients--;
      if (keeps) this.#keepers--;
      if (this.#clients === 0) this.#unusedSince = Date.now();
      if (held !== undefined) {
        held.clients--;
        held.awaySince = Date.now();
      }
      this.#check();
    };
  }

  /**
   * Stops the server as soon as no client is connected and no work is in progress, without the grace period.
   * @returns whether it stops now.
   */
  endWhenUnused(): boolean {
    this.#endsSoon = true;
    // The check waits until the response has been sent.
    setImmediate(() => this.#check());
    return this.#clients === 0 && !this.busy;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  get #unusedMs(): number {
    return Date.now() - this.#unusedSince;
  }

  #graceMs(graceMs: number): number {
    return this.#hasBeenUsed ? graceMs : Math.max(graceMs, FIRST_CLIENT_MS);
  }

  #enterHolder(name: string): Holder {
    const holder = this.#holders.get(name) ?? { clients: 0, awaySince: 0 };
    this.#holders.set(name, holder);
    holder.clients++;
    return holder;
  }

  #check(): void {
    for (const [name, { clients, awaySince }] of this.#holders) {
      if (clients > 0 || Date.now() - awaySince < this.#options.holderGraceMs) continue;
      if (this.#options.onHolderGone(name)) this.#holders.delete(name);
    }
    if (this.#clients > 0 || this.busy) {
      this.#unusedSince = Date.now();
      return;
    }
    const { graceMs } = this.#options;
    if (this.#endsSoon || (graceMs !== undefined && this.#unusedMs >= this.#graceMs(graceMs))) {
      this.close();
      this.#options.onUnused();
    }
  }
}
