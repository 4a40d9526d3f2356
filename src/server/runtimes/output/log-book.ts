import type { LogLine } from '../../../contract/harbor.ts';
import { shorten } from '../../../process/shorten.ts';

/** The limits of a log in memory, whichever is reached first. */
const MAX_LINES = 2_000;
const MAX_KEPT_CHARS = 8 * 1_048_576;
/** Longer lines are cut. */
const MAX_LINE_CHARS = 16_384;
/** How many lines a reader gets at a time. */
const READ_LINES = 100;

/** A line in memory. */
interface Kept {
  readonly line: LogLine;
  /** The line's number in the log, from 1. */
  readonly number: number;
}

/** A deployment's log. Keeps the newest lines in memory, and passes every new line to followers. */
export class LogBook {
  #kept: Kept[] = [];
  #keptChars = 0;
  readonly #followers = new Set<(line: LogLine) => void>();
  /** Wakes readers that have read everything. */
  readonly #waiting = new Set<() => void>();
  #next = 1;
  /** The number of the first line since the latest load began. */
  #loadBegan = 1;
  readonly #mask: (message: string) => string;

  /** @param mask masks the parts of a message that must not be logged. */
  constructor(mask: (message: string) => string = (message) => message) {
    this.#mask = mask;
  }

  /** Called when graphs are about to be loaded (again): later lines are about the new graphs. */
  beginLoad(): void {
    this.#loadBegan = this.#next;
  }

  /** Writes a line, with the IDs of the run and of its thread that it is about, if known. */
  write(level: LogLine['level'], message: string, runId?: string, threadId?: string): void {
    this.#write({
      level,
      message,
      ...(runId === undefined ? {} : { run_id: runId }),
      ...(threadId === undefined ? {} : { thread_id: threadId }),
    });
  }

  /** Writes an error that the deployment's state also reports. */
  writeState(message: string): void {
    this.#write({ level: 'ERROR', message, is_state: true });
  }

  #write(unnumbered: Omit<LogLine, 'id' | 'timestamp'>): void {
    const number = this.#next++;
    const line: LogLine = {
      id: String(number),
      timestamp: new Date().toISOString(),
      ...unnumbered,
      message: shorten(this.#mask(unnumbered.message), MAX_LINE_CHARS),
    };
    this.#kept.push({ line, number });
    this.#keptChars += line.message.length;
    this.#trim();
    for (const follower of this.#followers) follower(line);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** The kept lines, oldest first. */
  get lines(): readonly LogLine[] {
    return this.#kept.map(({ line }) => line);
  }

  /** Calls back with every line from now on. */
  follow(follower: (line: LogLine) => void): void {
    this.#followers.add(follower);
  }

  /**
   * Yields kept lines and then new ones, at the reader's pace, until aborted. A slow reader gets a line that says how
   * many lines were dropped.
   * @param sinceLoad leaves out lines from before the latest load.
   */
  async *read(signal: AbortSignal, sinceLoad = false): AsyncGenerator<readonly LogLine[], void> {
    const oldest = this.#kept[0]?.number ?? this.#next;
    let seen = (sinceLoad ? Math.max(oldest, this.#loadBegan) : oldest) - 1;
    const wake = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => wake.resolve(), { once: true });
    while (!signal.aborted) {
      const at = this.#kept.findIndex(({ number }) => number > seen);
      const batch = at === -1 ? [] : this.#kept.slice(at, at + READ_LINES);
      const [first] = batch;
      if (first === undefined) {
        await Promise.race([wake.promise, new Promise<void>((resolve) => this.#waiting.add(resolve))]);
        continue;
      }
      const missed = first.number - seen - 1;
      seen = batch.at(-1)?.number ?? seen;
      yield [...(missed === 0 ? [] : [omittedLine(missed, first.line)]), ...batch.map(({ line }) => line)];
    }
  }

  #trim(): void {
    let drop = 0;
    while (this.#kept.length - drop > MAX_LINES || this.#keptChars > MAX_KEPT_CHARS) {
      this.#keptChars -= this.#kept[drop]?.line.message.length ?? 0;
      drop++;
    }
    if (drop > 0) this.#kept = this.#kept.slice(drop);
  }
}

function omittedLine(count: number, { id, timestamp }: LogLine): LogLine {
  return {
    id,
    timestamp,
    level: 'WARNING',
    message: `${count} lines were dropped here because they came faster than they were read.`,
  };
}
