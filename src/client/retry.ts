import type { Method } from '../contract/endpoint.ts';
import { millisecondsOfHttpDate } from '../terms/times.ts';
import type { RequestError } from './request-error.ts';

/** Idempotent: doing these twice is the same as doing them once. */
const SAFE: ReadonlySet<Method> = new Set(['GET', 'PUT', 'DELETE']);
/** The server, or something in front of it, is temporarily unavailable. */
const PASSING = new Set([408, 502, 503, 504]);
/** Failures to connect that may pass; a name that does not exist or a bad certificate will not. */
const PASSING_CODES = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

const FIRST_DELAY_MS = 200;
const MAX_PAUSE_MS = 5_000;
/** With a longer wait the call fails, and says so. */
const MAX_RETRY_AFTER_MS = 30_000;

/** Whether the platform itself answered; false if it, or something in front of it, is temporarily unavailable. */
export function isAnswer({ problem, status = 0 }: RequestError): boolean {
  return problem === 'status' && status !== 429 && !PASSING.has(status);
}

/**
 * How long to wait before a failed request is sent again. Nothing that may have been acted on is sent again, unless
 * doing it twice is harmless.
 * @param attempt how often it was sent again already.
 * @returns milliseconds, or `undefined` for never.
 */
export function retryDelay(error: RequestError, attempt: number, retries: number): number | undefined {
  if (attempt >= retries) return undefined;
  const backOff = Math.min(MAX_PAUSE_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.75 + Math.random() / 2);
  const safe = SAFE.has(error.method);
  switch (error.problem) {
    case 'unreachable':
      return PASSING_CODES.has(error.code ?? '') ? backOff : undefined;
    case 'lost':
      return safe ? backOff : undefined;
    case 'status': {
      const refused = error.status === 429;
      if (!refused && !(safe && PASSING.has(error.status ?? 0))) return undefined;
      if (error.retryAfterMs === undefined) return safe ? backOff : undefined;
      return error.retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : Math.max(error.retryAfterMs, backOff);
    }
    case 'timeout':
    case 'unreadable':
      return undefined;
  }
}

/** @param value a `Retry-After` header: seconds or a date. */
export function retryAfterMs(value: string | undefined, now = Date.now()): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
  const date = millisecondsOfHttpDate(value);
  return date === undefined ? undefined : Math.max(0, date - now);
}
