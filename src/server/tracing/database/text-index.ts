import type { Condition } from './condition.ts';

/** The words of a search, all of which must be present. */
export interface SearchedWords {
  /** Whole words, and beginnings of words. */
  readonly terms: readonly { readonly word: string; readonly isPrefix: boolean }[];
  /** The projects to search; all when undefined. */
  readonly sessions: readonly number[] | undefined;
  /** Limits the search to inputs or to outputs. */
  readonly side: 'inputs' | 'outputs' | undefined;
}

/** How words are removed from an index: immediately, or marked first and removed together by `merge`. */
export type RemovalMode = 'in-place' | 'marked';

/**
 * The full-text index over payloads. The row of a run's inputs is twice the run's key, and that of its outputs is the
 * next one. SQLite and PostgreSQL store the index differently, but split text into the same words.
 */
export interface TextIndex {
  /** A string's words in order, in the form of the index: lower case, without accents. */
  split(text: string): string[];
  /** Adds a row. */
  add(row: number, session: number, text: string): void;
  /**
   * Removes a row. @param textOf reads the text that was added, if its words are needed; undefined when the text is
   * empty or no longer exists.
   */
  remove(row: number, session: number, textOf: () => string | undefined): void;
  /** Sets how words are removed from now on. */
  setRemovalMode(mode: RemovalMode): void;
  /** Removes some of the marked words, in the caller's transaction. @returns whether any are left. */
  merge(): boolean;
  /** Drops cached state after a transaction was rolled back. */
  forget(): void;
  /** The condition that a run has a row with the words. @param alias the alias of the runs table */
  condition(alias: string, searched: SearchedWords): Condition;
  /** Finds the keys of runs with the words, newest rows first. @param rows the maximum number of rows to check */
  find(searched: SearchedWords, rows: number): number[];
}
