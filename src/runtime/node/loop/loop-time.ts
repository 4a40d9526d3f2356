import { readFileSync } from 'node:fs';

/** A point in time on the main thread, in milliseconds. */
export interface LoopTime {
  readonly at: number;
  /** How long the thread has waited for a CPU so far; 0 if the system does not report that. */
  readonly waitedMs: number;
  /** When the system was last asked for `waitedMs`. */
  readonly askedAt: number;
}

/** Measures the thread that calls it, which must be the main thread. */
export function readLoopTime(): LoopTime {
  const at = performance.now();
  return { at, waitedMs: readWaitedMs(), askedAt: at };
}

/**
 * The current time, with a `waitedMs` that may be up to `maxAgeMs` old, because reading it takes a
 * considerable part of a short run. A block that is measured from such a time seems shorter, by the time
 * that the thread waited for a CPU after the last reading.
 */
export function recentLoopTime(last: LoopTime | undefined, maxAgeMs: number): LoopTime {
  const at = performance.now();
  return last !== undefined && at - last.askedAt < maxAgeMs ? { ...last, at } : readLoopTime();
}

/**
 * How long the main thread was blocked, by code that computes or waits. Time in which other processes had
 * its CPU does not count.
 */
export function heldMsBetween(then: LoopTime, now: LoopTime): number {
  return now.at - then.at - (now.waitedMs - then.waitedMs);
}

/** The second number in /proc/self/schedstat on Linux, converted from nanoseconds. */
function readWaitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
