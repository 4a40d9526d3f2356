import type { LogLevel } from '../../../../contract/control-plane/logs.ts';

/** The code of a revision, found but not yet where it will be built. */
export interface FoundSource {
  /** Names the content: sources of one key are the same files. */
  readonly key: string;
  readonly commit: string | null;
  /** How many files differ from the commit, of a folder; null where there is nothing to differ from. */
  readonly changes: number | null;
  /** Puts the files into a folder that does not exist yet. */
  place(dir: string): Promise<void>;
  /** Gives back what finding it took, when it is not placed. */
  discard(): Promise<void>;
}

export interface SourceContext {
  readonly signal: AbortSignal;
  log(level: LogLevel, message: string): void;
}
