import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry, LogPage } from '../contract/control-plane/logs.ts';
import { isoTime, millisecondsOf } from '../terms/times.ts';

const PAGE_SIZE = 1_000;

export interface FollowLogsOptions {
  /** How many of the newest lines to start with. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Whether more lines may come; if not, following ends with the newest line. */
  readonly hasMore: () => Promise<boolean> | boolean;
  /** ms between two requests that return lines. */
  readonly pollMs: number;
  /** Maximum ms between two requests. */
  readonly maxPollMs?: number;
  /** Called when the log cannot be read, before a retry. Without it, following ends. */
  readonly onTrouble?: (error: unknown) => void;
}

/**
 * The newest lines of a log in order, and new lines as they arrive.
 * @throws RequestError when the log cannot be read; the signal's reason when aborted.
 */
export async function* followLogs(
  read: (body: { order: 'asc' | 'desc'; limit: number; start_time?: string }) => Promise<LogPage>,
  options: FollowLogsOptions,
): AsyncGenerator<LogEntry> {
  const { limit, signal, hasMore, pollMs, maxPollMs = pollMs, onTrouble } = options;
  const seen = new Set<string>();
  let since: LogEntry['timestamp'] | undefined;
  let hasBegun = false;
  let pause = pollMs;
  for (;;) {
    let fresh: LogEntry[] = [];
    // Asked before the log is read, so that no line is missed when it ends during the read.
    const more = await hasMore();
    try {
      const sinceMs = millisecondsOf(since);
      const start = sinceMs === undefined ? {} : { start_time: isoTime(sinceMs) };
      const { logs } = await (hasBegun
        ? read({ order: 'asc', limit: PAGE_SIZE, ...start })
        : read({ order: 'desc', limit }));
      // Lines of the same millisecond are returned again.
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
    if (!more && hasBegun && fresh.length < PAGE_SIZE) return;
    pause = fresh.length > 0 ? pollMs : Math.min(maxPollMs, pause * 1.5);
    await sleep(pause, undefined, { signal });
  }
}
