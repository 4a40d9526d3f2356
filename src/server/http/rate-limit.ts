import { HttpError } from './errors.ts';

/** Limits requests per minute with a token bucket for each caller, which holds the requests of one minute. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #what: string;
  readonly #advice: string;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  /**
   * @param what the limited requests in words, for the error message.
   * @param otherWay another way than to wait, for the error message, such as `send larger requests`.
   */
  constructor(perMinute: number, what: string, otherWay?: string) {
    this.#perMinute = perMinute;
    this.#what = what;
    this.#advice = otherWay === undefined ? '' : `, or ${otherWay}`;
  }

  /** Counts a request of a caller. @throws HttpError 429, with `Retry-After` in seconds, over the limit. */
  take(caller: string, now = performance.now()): void {
    const bucket = this.#buckets.get(caller) ?? { tokens: this.#perMinute, at: now };
    const refilled = bucket.tokens + ((now - bucket.at) / 60_000) * this.#perMinute;
    const tokens = Math.min(this.#perMinute, refilled);
    const allowed = tokens >= 1;
    this.#buckets.set(caller, { tokens: allowed ? tokens - 1 : tokens, at: now });
    if (allowed) return;
    const seconds = Math.max(1, Math.ceil(((1 - tokens) / this.#perMinute) * 60));
    throw new HttpError(
      429,
      `Too many ${this.#what}: the limit is ${this.#perMinute} per minute. Try again in ${seconds} s${this.#advice}.`,
      { 'retry-after': String(seconds) },
    );
  }
}
