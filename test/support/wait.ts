import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';

const defaultTimeoutMs = 15_000;
/**
 * A read costs both sides some milliseconds, so longer waits read less often: each pause is this share of the
 * time waited so far.
 */
const PAUSE_SHARE = 1 / 20;
const MIN_PAUSE_MS = 40;
const MAX_PAUSE_MS = 150;

/** On a busy machine, everything may take this many times as long. */
export const patience = Number(process.env.AGENT_HARBOR_TEST_PATIENCE ?? 1);

/** Thrown during a wait when the condition can no longer come true. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure';
}

/**
 * Reads again and again until what was read is accepted, and returns it. `undefined` is never accepted, nor
 * is a read that throws, because pages may re-render during a read. A `FinalFailure` is thrown on at once.
 *
 * @param what the awaited condition, for the error
 * @throws an Error with the last value, after `timeoutMs` times `patience`
 */
export async function eventually<T>(
  what: string,
  read: () => Promise<T> | T,
  accept: (value: Exclude<T, undefined>) => boolean = Boolean,
  timeoutMs = defaultTimeoutMs,
): Promise<Exclude<T, undefined>> {
  const maxMs = timeoutMs * patience;
  const began = Date.now();
  const deadline = began + maxMs;
  let last: unknown;
  for (;;) {
    const isLast = Date.now() >= deadline;
    try {
      const value = await read();
      if (isDefined(value) && accept(value)) return value;
      last = value;
    } catch (error) {
      if (error instanceof FinalFailure) throw error;
      last = error instanceof Error ? error.message : error;
    }
    if (isLast) break;
    const pauseMs = (Date.now() - began) * PAUSE_SHARE;
    await delay(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, pauseMs)));
  }
  throw new Error(`${what}: not within ${maxMs / 1000} s. Seen last: ${inspect(last, { depth: 4 })}`);
}

function isDefined<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}

/** Whether a text is, or matches, the wanted one. */
export function textMatches(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text === wanted : wanted.test(text);
}
