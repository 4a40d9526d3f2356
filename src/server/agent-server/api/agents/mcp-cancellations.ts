/** How long a cancellation waits for its call. Clients send both at the same time, over different connections. */
const WAIT_MS = 60_000;
/** The maximum number of cancellations that wait. */
const MAX_WAITING = 1_000;

/** A call that this server is answering. */
export interface CancelableCall {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The calls of earlier clients that this server is answering, and the cancellations whose calls have not arrived. The
 * keys stand for a request of a session and its user.
 */
export class McpCancellations {
  readonly #calls = new Map<string, AbortController>();
  /** The times at which cancellations are forgotten, oldest first. */
  readonly #early = new Map<string, number>();

  /** Follows a call, which is canceled at once if its cancellation was faster. */
  follow(key: string): CancelableCall {
    const canceling = new AbortController();
    if ((this.#early.get(key) ?? 0) > Date.now()) canceling.abort();
    this.#early.delete(key);
    this.#calls.set(key, canceling);
    return {
      signal: canceling.signal,
      end: () => {
        if (this.#calls.get(key) === canceling) this.#calls.delete(key);
      },
    };
  }

  /** Cancels a call, also if it is yet to arrive. */
  cancel(key: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined) {
      call.abort();
      return;
    }
    const now = Date.now();
    for (const [early, until] of this.#early) {
      if (until > now && this.#early.size < MAX_WAITING) break;
      this.#early.delete(early);
    }
    this.#early.set(key, now + WAIT_MS);
  }
}
