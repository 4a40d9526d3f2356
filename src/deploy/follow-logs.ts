import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry, LogPage } from '../contract/control-plane/logs.ts';

const PAGE = 1_000;

export interface FollowLogsOptions {
  /** How many of the newest lines to begin with. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Whether more may come; else the following ends with the newest line. */
  readonly goesOn: () => Promise<boolean> | boolean;
  /** ms between two looks that find something. */
  readonly pollMs: number;
  /** ms at most between two looks, however long there has been nothing. */
  readonly maxPollMs?: number;
  /** Told when the log cannot be read; it is tried again. Without it that ends the following. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * The newest lines of a log in order, and the lines that come.
 * @throws RequestError when the log cannot be read; the signal's reason when aborted.
 */
export async function* followLogs(
  read: (body: { order: 'asc' | 'desc'; limit: number; start_time?: string }) => Promise<LogPage>,
  options: FollowLogsOptions,
): AsyncGenerator<LogEntry> {
  const { limit, signal, goesOn, pollMs, maxPollMs = pollMs, onTrouble } = options;
  const seen = new Set<string>();
  let since: LogEntry['timestamp'] | undefined;
  let hasBegun = false;
  let pause = pollMs;
  for (;;) {
    let fresh: LogEntry[] = [];
    // Asked before the log is read, so that nothing is missed of one that ends meanwhile.
    const more = await goesOn();
    try {
      const start = since === undefined ? {} : { start_time: new Date(since).toISOString() };
      const { logs } = await (hasBegun
        ? read({ order: 'asc', limit: PAGE, ...start })
        : read({ order: 'desc', limit }));
      // What was logged within the same millisecond comes again.
      fresh = (hasBegun ? logs : logs.toReversed()).filter(({ id }) => !seen.has(id));
      hasBegun = true;
    } catch (error) {
      if (signal.aborted || onTrouble === undefined) throw error;
      onTrouble(error);
    }
    for (const entry of fresh) {
      seen.add(entry.id);
      since = entry.timestamp;
      yield entry;
    }
    if (!more && hasBegun && fresh.length < PAGE) return;
    pause = fresh.length > 0 ? pollMs : Math.min(maxPollMs, pause * 1.5);
    await sleep(pause, undefined, { signal });
  }
}
