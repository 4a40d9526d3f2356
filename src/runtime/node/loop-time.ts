import { readFileSync } from 'node:fs';

/** A moment of the main thread, in milliseconds. */
export interface LoopTime {
  readonly at: number;
  /** How long it has waited for a CPU so far; 0 where the system does not tell. */
  readonly waitedMs: number;
}

/** Called on the main thread, whose times these are. */
export function readLoopTime(): LoopTime {
  return { at: performance.now(), waitedMs: readWaitedMs() };
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
