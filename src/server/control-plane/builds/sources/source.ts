import type { LogLevel } from '../../../../contract/fields.ts';

/** The source of a revision, before its files are in the folder of the build. */
export interface FoundSource {
  /** Identifies the content: sources with the same key have the same files. */
  readonly key: string;
  readonly commit: string | null;
  /** Number of files that differ from the commit; null without a commit. */
  readonly changes: number | null;
  /** Writes the files to a new folder. */
  place(dir: string): Promise<void>;
  /** Removes temporary files if the source is not placed. */
  discard(): Promise<void>;
}

/** The signal that ends the work on a build, and the log of the build. */
export interface SourceContext {
  readonly signal: AbortSignal;
  /** Writes a line to the build log. */
  log(level: LogLevel, message: string): void;
}
