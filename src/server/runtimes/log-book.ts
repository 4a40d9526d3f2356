import type { LogLine } from '../../contract/harbor.ts';

const KEPT = 2_000;

/** A deployment's log: its newest lines in memory for whoever opens it, and everything as it comes for whoever follows. */
export class LogBook {
  readonly #lines: LogLine[] = [];
  readonly #followers = new Set<(line: LogLine) => void>();
  #next = 1;
  readonly #masked: (message: string) => string;

  /** @param masked takes out of a message what must not stand in a log. */
  constructor(masked: (message: string) => string = (message) => message) {
    this.#masked = masked;
  }

  write(level: LogLine['level'], message: string, runId?: string, threadId?: string): void {
    const line: LogLine = {
      id: String(this.#next++),
      timestamp: new Date().toISOString(),
      level,
      message: this.#masked(message),
      ...(runId === undefined ? {} : { run_id: runId }),
      ...(threadId === undefined ? {} : { thread_id: threadId }),
    };
    this.#lines.push(line);
    if (this.#lines.length > KEPT) this.#lines.splice(0, this.#lines.length - KEPT);
    for (const follower of this.#followers) follower(line);
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** @returns ends the following. */
  follow(follower: (line: LogLine) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }
}
