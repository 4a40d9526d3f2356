import type { Method } from '../contract/endpoint.ts';
import { millisecondsOfHttpDate } from '../terms/times.ts';
import type { RequestError } from './request-error.ts';

/** Sending a request with these methods twice has the same effect as once. */
const IDEMPOTENT: ReadonlySet<Method> = new Set(['GET', 'PUT', 'DELETE']);
/** Statuses that mean that the server, or a proxy in front of it, is temporarily unavailable. */
const TEMPORARY_STATUSES = new Set([408, 502, 503, 504]);
/** Failures to connect that may be temporary; unknown hosts and bad certificates are not. */
const TEMPORARY_CODES = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const FIRST_DELAY_MS = 200;
const MAX_PAUSE_MS = 5_000;
/** If the server asks for a longer pause, the call fails instead. */
const MAX_RETRY_AFTER_MS = 30_000;

/** Whether the platform itself answered; false if it, or a proxy in front of it, is temporarily unavailable. */
export function isAnswer({ problem, status = 0 }: RequestError): boolean {
  return problem === 'status' && status !== 429 && !TEMPORARY_STATUSES.has(status);
}

/**
 * How long to wait before a failed request is sent again. A request that the server may have processed is sent again
 * only if its method is idempotent.
 * @param attempt how often it has been sent again already.
 * @returns milliseconds, or `undefined` for never.
 */
export function retryDelay(error: RequestError, attempt: number, retries: number): number | undefined {
  if (attempt >= retries) return undefined;
  const backOff = backOffMs(FIRST_DELAY_MS, attempt);
  const isIdempotent = IDEMPOTENT.has(error.method);
  switch (error.problem) {
    case 'unreachable':
      return TEMPORARY_CODES.has(error.code ?? '') ? backOff : undefined;
    case 'lost':
      return isIdempotent ? backOff : undefined;
    case 'status': {
      const isLimited = error.status === 429;
      if (!isLimited && !(isIdempotent && TEMPORARY_STATUSES.has(error.status ?? 0))) return undefined;
      if (error.retryAfterMs === undefined) return isIdempotent ? backOff : undefined;
      return error.retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : Math.max(error.retryAfterMs, backOff);
    }
    case 'timeout':
    case 'unreadable':
      return undefined;
  }
}

/**
 * How long to wait before a further try: twice as long as before the last one, at most about `MAX_PAUSE_MS`, and
 * varied by a quarter so that clients do not try at the same time.
 * @param firstMs the pause before the first further try, whose `attempt` is 0
 */
export function backOffMs(firstMs: number, attempt: number): number {
  return Math.min(MAX_PAUSE_MS, firstMs * 2 ** attempt) * (0.75 + Math.random() / 2);
}

/** @param value a `Retry-After` header: seconds or a date @returns undefined when it is missing or invalid */
export function retryAfterMs(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = millisecondsOfHttpDate(value);
  return date === undefined ? undefined : Math.max(0, date - now);
}
