import { readFileSync } from 'node:fs';

/** A moment of the main thread, in milliseconds. */
export interface LoopTime {
  readonly at: number;
  /** How long it has waited for a CPU so far; 0 where the system does not tell. */
  readonly waitedMs: number;
  /** When the system was asked for that. */
  readonly askedAt: number;
}

/** Called on the main thread, whose times these are. */
export function readLoopTime(): LoopTime {
  const at = performance.now();
  return { at, waitedMs: readWaitedMs(), askedAt: at };
}

/**
 * This moment, with what the system said at most `maxAgeMs` ago: asking it takes as long as a fair part of a short run. What
 * is held since then seems shorter by what was waited for a CPU in between.
 */
export function recentLoopTime(last: LoopTime | undefined, maxAgeMs: number): LoopTime {
  const at = performance.now();
  return last !== undefined && at - last.askedAt < maxAgeMs ? { ...last, at } : readLoopTime();
}

/** How long the main thread was held, by code or by what it waited for. Others that had its CPU do not count. */
export function heldMsBetween(then: LoopTime, now: LoopTime): number {
  return now.at - then.at - (now.waitedMs - then.waitedMs);
}

/** The second number of nanoseconds, on Linux. */
function readWaitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}
