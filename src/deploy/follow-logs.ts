import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEntry, LogPage } from '../contract/control-plane/logs.ts';
import { isoTime, millisecondsOf } from '../terms/times.ts';

const PAGE_SIZE = 1_000;

export interface FollowLogsOptions {
  /** How many of the newest lines to start with. */
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Whether lines may still be added to the log; otherwise, following ends with its last line. */
  readonly hasMore: () => Promise<boolean> | boolean;
  /** The pause between two requests while there are new lines. */
  readonly pollMs: number;
  /** The maximum pause, when there are no new lines for a while; by default `pollMs`. */
  readonly maxPollMs?: number;
  /** Called before a retry when the log cannot be read. If absent, following ends with the error. */
  readonly onTrouble?: (error: unknown) => void;
}

type ReadPage = (body: { order: 'asc' | 'desc'; limit: number; start_time?: string }) => Promise<LogPage>;

/**
 * The newest lines of a log in order, and new lines as they arrive.
 * @throws RequestError when the log cannot be read; the signal's reason when aborted.
 */
export async function* followLogs(read: ReadPage, options: FollowLogsOptions): AsyncGenerator<LogEntry> {
  const { limit, signal, hasMore, pollMs, maxPollMs = pollMs, onTrouble } = options;
  // Each page after the first begins with the last lines of the one before, so no earlier IDs are needed.
  let lastPage: ReadonlySet<string> = new Set();
  let since: LogEntry['timestamp'] | undefined;
  let hasBegun = false;
  let pauseMs = pollMs;
  for (;;) {
    let fresh: LogEntry[] = [];
    // This is asked before the log is read, so that lines added in the meantime are not missed.
    const more = await hasMore();
    try {
      const lines = await (hasBegun ? readSince(read, since) : readNewest(read, limit));
      // Lines of the same millisecond are returned again.
      fresh = lines.filter(({ id }) => !lastPage.has(id));
      if (lines.length > 0) lastPage = new Set(lines.map(({ id }) => id));
      hasBegun = true;
    } catch (error) {
      if (signal.aborted || onTrouble === undefined) throw error;
      onTrouble(error);
    }
    for (const entry of fresh) {
      since = entry.timestamp;
      yield entry;
    }
    if (!more && hasBegun && fresh.length < PAGE_SIZE) return;
    pauseMs = fresh.length > 0 ? pollMs : Math.min(maxPollMs, pauseMs * 1.5);
    await sleep(pauseMs, undefined, { signal });
  }
}

/** The newest lines, the oldest of them first. */
async function readNewest(read: ReadPage, limit: number): Promise<LogEntry[]> {
  const { logs } = await read({ order: 'desc', limit });
  return logs.toReversed();
}

async function readSince(read: ReadPage, since: LogEntry['timestamp'] | undefined): Promise<LogEntry[]> {
  const sinceMs = millisecondsOf(since);
  const start = sinceMs === undefined ? {} : { start_time: isoTime(sinceMs) };
  const { logs } = await read({ order: 'asc', limit: PAGE_SIZE, ...start });
  return logs;
}
