/**
 * How long a cancellation waits for its call, and how long an answered call is remembered. Clients send both
 * at the same time, over different connections.
 */
const WAIT_MS = 60_000;
/** The maximum number of cancellations that wait, and of answered calls. */
const MAX_WAITING = 1_000;

/** A call that this server is answering. */
export interface CancelableCall {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * The calls of earlier clients that this server is answering, and the cancellations whose calls have not
 * arrived. The keys stand for a request of a session and its user.
 */
export class McpCancellations {
  readonly #calls = new Map<string, AbortController>();
  /** Cancellations whose calls have not arrived. */
  readonly #early = new RecentKeys();
  /**
   * Calls that have just been answered, so that late cancellations of them do not wait for others with the
   * same ID.
   */
  readonly #answered = new RecentKeys();

  /** Follows a call, which is canceled at once if its cancellation was faster. */
  follow(key: string): CancelableCall {
    const canceling = new AbortController();
    if (this.#early.has(key)) canceling.abort();
    this.#early.delete(key);
    this.#answered.delete(key);
    this.#calls.set(key, canceling);
    return {
      signal: canceling.signal,
      end: () => {
        if (this.#calls.get(key) !== canceling) return;
        this.#calls.delete(key);
        this.#answered.add(key);
      },
    };
  }

  /** Cancels a call, also if it is yet to arrive. */
  cancel(key: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined) call.abort();
    else if (!this.#answered.has(key)) this.#early.add(key);
  }
}

/** Keys that are remembered for a minute, unless there are too many. */
class RecentKeys {
  /** The times at which keys are forgotten, oldest first. */
  readonly #until = new Map<string, number>();

  add(key: string): void {
    const now = Date.now();
    for (const [old, until] of this.#until) {
      if (until > now && this.#until.size < MAX_WAITING) break;
      this.#until.delete(old);
    }
    this.#until.delete(key);
    this.#until.set(key, now + WAIT_MS);
  }

  has(key: string): boolean {
    return (this.#until.get(key) ?? 0) > Date.now();
  }

  delete(key: string): void {
    this.#until.delete(key);
  }
}
