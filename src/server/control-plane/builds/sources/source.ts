import type { LogLevel } from '../../../../contract/control-plane/logs.ts';

/** The located source of a revision, not yet in its build folder. */
export interface FoundSource {
  /** Identifies the content: sources with the same key have the same files. */
  readonly key: string;
  readonly commit: string | null;
  /** Number of files that differ from the commit; null without a commit. */
  readonly changes: number | null;
  /** Writes the files to a new folder. */
  place(dir: string): Promise<void>;
  /** Releases resources when the source is not placed. */
  discard(): Promise<void>;
}

export interface SourceContext {
  readonly signal: AbortSignal;
  log(level: LogLevel, message: string): void;
}
