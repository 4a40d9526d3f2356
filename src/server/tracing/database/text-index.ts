import type { Condition } from './condition.ts';

/** Words of a search, all of which must be present. */
export interface SearchedWords {
  /** Whole words, and beginnings of words. */
  readonly terms: readonly { readonly word: string; readonly isPrefix: boolean }[];
  /** The projects that are searched; all when absent. */
  readonly sessions: readonly number[] | undefined;
  /** Inputs or outputs alone. */
  readonly side: 'inputs' | 'outputs' | undefined;
}

/** How words are removed from an index: each at once, or marked and removed together by `merge`. */
export type TakingOut = 'in-place' | 'marked';

/**
 * The words of payloads, by row: twice the key of a run for its inputs, and one more for its outputs. Each
 * database stores them in its own way, but splits words the same.
 */
export interface TextIndex {
  /** A string's words in order, in the form of the index: lower case, without accents. */
  split(text: string): string[];
  /** Adds a row. */
  add(row: number, session: number, text: string): void;
  /**
   * @param textOf reads the added text, if it is needed to find its words; nothing when it is empty or gone.
   */
  remove(row: number, session: number, textOf: () => string | undefined): void;
  /** How words are removed from now on. */
  takeOut(how: TakingOut): void;
  /**
   * Removes marked words, a piece at a time, in a transaction of the caller. @returns whether more are left.
   */
  merge(): boolean;
  /** Drops cached state of a transaction that was rolled back. */
  forget(): void;
  /** The condition that a run has a row with the words. @param alias the table of runs */
  condition(alias: string, searched: SearchedWords): Condition;
  /** Keys of runs with the words, the newest rows first. @param rows how many rows are checked */
  find(searched: SearchedWords, rows: number): number[];
}
