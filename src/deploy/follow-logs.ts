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

/** Where a page of lines begins: at a time, and after an earlier page. */
interface Start {
  readonly start_time?: string;
  readonly offset?: string;
}

type ReadPage = (body: { order: 'asc' | 'desc'; limit: number } & Start) => Promise<LogPage>;

/**
 * The newest lines of a log in order, and new lines as they arrive.
 * @throws RequestError when the log cannot be read; the signal's reason when aborted.
 */
export async function* followLogs(read: ReadPage, options: FollowLogsOptions): AsyncGenerator<LogEntry> {
  const { limit, signal, hasMore, pollMs, maxPollMs = pollMs, onTrouble } = options;
  const log = new NewLines(read, limit);
  let pauseMs = pollMs;
  for (;;) {
    let found: FoundLines = { fresh: [], isEnd: false };
    // This is asked before the log is read, so that lines added in the meantime are not missed.
    const more = await hasMore();
    try {
      found = await log.find();
    } catch (error) {
      if (signal.aborted || onTrouble === undefined) throw error;
      onTrouble(error);
    }
    yield* found.fresh;
    if (!more && found.isEnd) return;
    pauseMs = found.fresh.length > 0 ? pollMs : Math.min(maxPollMs, pauseMs * 1.5);
    await sleep(pauseMs, undefined, { signal });
  }
}

interface FoundLines {
  readonly fresh: readonly LogEntry[];
  /** Whether there were no more lines when the log was read. */
  readonly isEnd: boolean;
}

/** Reads the lines of a log that have not been read yet, page by page. */
class NewLines {
  readonly #read: ReadPage;
  /** How many of the newest lines to start with. */
  readonly #limit: number;
  /** Where the next page begins; undefined before the first one. */
  #next: Start | undefined;
  /** The IDs of the last page, and of all lines of the millisecond in which it ended. */
  #seen: ReadonlySet<string> = new Set();
  /** The time of the last line. */
  #since: LogEntry['timestamp'] | undefined;

  constructor(read: ReadPage, limit: number) {
    this.#read = read;
    this.#limit = limit;
  }

  async find(): Promise<FoundLines> {
    const start = this.#next;
    const { logs, next_offset } = await (start === undefined
      ? this.#readNewest()
      : this.#read({ order: 'asc', limit: PAGE_SIZE, ...start }));
    // Lines of the same millisecond are returned again.
    const fresh = logs.filter(({ id }) => !this.#seen.has(id));
    this.#remember(logs, fresh.at(-1)?.timestamp);
    const isFull = start !== undefined && logs.length === PAGE_SIZE;
    this.#next = isFull && next_offset ? { ...start, offset: next_offset } : startAt(this.#since);
    return { fresh, isEnd: !isFull || (!next_offset && fresh.length === 0) };
  }

  /** Remembers what may be returned again: the next page begins with the millisecond of the last line. */
  #remember(logs: readonly LogEntry[], last: LogEntry['timestamp'] | undefined): void {
    const isLater = last !== undefined && millisecondsOf(last) !== millisecondsOf(this.#since);
    const ids = logs.map(({ id }) => id);
    this.#seen = new Set(isLater ? ids : [...this.#seen, ...ids]);
    this.#since = last ?? this.#since;
  }

  /** The newest lines, the oldest of them first. */
  async #readNewest(): Promise<LogPage> {
    const { logs } = await this.#read({ order: 'desc', limit: this.#limit });
    return { logs: logs.toReversed() };
  }
}

/** Where a page that begins at a line begins, without an offset. */
export function startAt(since: LogEntry['timestamp'] | undefined): Start {
  const ms = millisecondsOf(since);
  return ms === undefined ? {} : { start_time: isoTime(ms) };
}
