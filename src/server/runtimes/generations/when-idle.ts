import type { Generation } from './generation.ts';

const MAX_CHECK_INTERVAL_MS = 5_000;

/**
 * Calls back once, when a generation has had no work for some time.
 * @param afterMs milliseconds without work; undefined for never.
 * @returns a function that cancels the callback.
 */
export function whenIdle(generation: Generation, afterMs: number | undefined, then: () => void): () => void {
  if (afterMs === undefined) return () => {};
  const timer = setInterval(
    () => {
      if (generation.idleMs < afterMs) return;
      clearInterval(timer);
      then();
    },
    Math.min(afterMs, MAX_CHECK_INTERVAL_MS),
  ).unref();
  return () => clearInterval(timer);
}
