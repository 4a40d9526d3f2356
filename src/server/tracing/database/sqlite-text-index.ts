import { sql } from 'kysely';
import type { SqliteDatabase } from '../../storage/sqlite-database.ts';
import type { Condition } from './condition.ts';
import type { RemovalMode, SearchedWords, TextIndex } from './text-index.ts';
import type { TracesSchema } from './traces-schema.ts';
import { WordSplitter } from './word-splitter.ts';

/** How many pages a merge step writes. */
const MERGED_PAGES = 32;

/** Rows for `merge` that belong to no run: one that takes several pages, and one of a few bytes. */
const PADDING = {
  key: 0,
  text: Array.from({ length: 4000 }, (_, at) => `padding${at.toString(36)}`).join(' '),
};
const ASIDE = { key: 1, text: 'aside' };

/** The maximum number of projects that the index filters by; longer lists are left to the rest of the query. */
const MAX_SESSIONS = 20;

/** The full-text index in SQLite. FTS5 stores the words but not the text, so removing a row requires its text again. */
export class SqliteTextIndex implements TextIndex {
  readonly #db: SqliteDatabase<TracesSchema>;
  readonly #splitter: WordSplitter;
  #removalMode: RemovalMode | undefined;
  #isMerging = false;
  /** The current one of the two rounds of `merge`. */
  #round: 'padded' | 'aside' = 'padded';

  constructor(db: SqliteDatabase<TracesSchema>) {
    this.#db = db;
    this.#splitter = new WordSplitter(db.sqlite);
  }

  split(text: string): string[] {
    return this.#splitter.split(text);
  }

  add(row: number, session: number, text: string): void {
    this.#insert(row, projectWord(session), text);
  }

  remove(row: number, session: number, textOf: () => string | undefined): void {
    const text = textOf();
    if (text !== undefined && text !== '') this.#delete(row, projectWord(session), text);
  }

  /**
   * Removing words in place costs a look-up for every word, which is best for a few payloads. For many
   * payloads, words are only marked as deleted, and `merge` removes them.
   */
  setRemovalMode(mode: RemovalMode): void {
    if (mode === this.#removalMode) return;
    // The value is part of the SQL text, because Node binds every number as a real, and FTS5 requires an integer.
    const value = mode === 'in-place' ? 1 : 0;
    this.#db.sqlite.exec(`INSERT INTO runs_words (runs_words, rank) VALUES ('secure-delete', ${value})`);
    this.#removalMode = mode;
  }

  forget(): void {
    this.#removalMode = undefined;
    this.#isMerging = false;
  }

  /**
   * Rewrites the index without the words marked as deleted. FTS5 removes marked words only when it merges into its
   * oldest level, which it does not do when all segments are on one level, or there is only one segment. Therefore this
   * merges twice: first with padding, which leaves a segment of some pages, and then with a small one next to it, which
   * stays on a separate level.
   */
  merge(): boolean {
    const changes = () => Number(this.#db.statement('SELECT total_changes() AS n').get()?.n);
    const row = this.#round === 'padded' ? PADDING : ASIDE;
    if (!this.#isMerging && !this.#has(row.key)) {
      this.#insert(row.key, '', row.text);
      return true;
    }
    // A negative number starts merging everything into one segment; positive numbers continue.
    const before = changes();
    const pages = this.#isMerging ? MERGED_PAGES : -MERGED_PAGES;
    this.#db.sqlite.exec(`INSERT INTO runs_words (runs_words, rank) VALUES ('merge', ${pages})`);
    // A merge that did something changes at least two rows (https://sqlite.org/fts5.html#the_merge_command).
    this.#isMerging = changes() - before >= 2;
    if (this.#isMerging) return true;
    if (this.#round === 'padded') {
      this.#round = 'aside';
      return true;
    }
    this.#round = 'padded';
    this.setRemovalMode('in-place');
    for (const { key, text } of [PADDING, ASIDE]) this.#delete(key, '', text);
    return false;
  }

  condition(alias: string, searched: SearchedWords): Condition {
    return sql<boolean>`${sql.ref(`${alias}.key`)} in (select rowid / 2 from runs_words
      where runs_words match ${matchOf(searched)} ${sql.raw(sideCondition(searched))})`;
  }

  find(searched: SearchedWords, rows: number): number[] {
    return this.#db
      .statement(
        `SELECT rowid / 2 AS run FROM runs_words WHERE runs_words MATCH ? ${sideCondition(searched)}
         ORDER BY rowid DESC LIMIT ?`,
      )
      .all(matchOf(searched), rows)
      .map(({ run }) => Number(run));
  }

  #has(row: number): boolean {
    return this.#db.statement('SELECT 1 FROM runs_words_docsize WHERE id = ?').get(row) !== undefined;
  }

  #insert(row: number, project: string, text: string): void {
    this.#db
      .statement('INSERT INTO runs_words (rowid, project, text) VALUES (?, ?, ?)')
      .run(row, project, text);
  }

  #delete(row: number, project: string, text: string): void {
    this.#db
      .statement(`INSERT INTO runs_words (runs_words, rowid, project, text) VALUES ('delete', ?, ?, ?)`)
      .run(row, project, text);
  }
}

/**
 * The word that stands for a project: projects are words in the index too, so that the matches in one project are found
 * quickly among those in many.
 */
function projectWord(session: number): string {
  return `p${session}`;
}

/** The search in the query language of FTS5. */
function matchOf({ terms, sessions = [] }: SearchedWords): string {
  const projects =
    sessions.length === 0 || sessions.length > MAX_SESSIONS
      ? ''
      : `project : (${sessions.map(projectWord).join(' OR ')}) AND `;
  const words = terms.map(({ word, isPrefix }) => `"${word}"${isPrefix ? '*' : ''}`);
  return `${projects}text : (${words.join(' AND ')})`;
}

/** The condition, as a further part of a `WHERE`, for rows of inputs or of outputs. */
function sideCondition({ side }: SearchedWords): string {
  return side === undefined ? '' : `AND rowid % 2 = ${side === 'inputs' ? 0 : 1}`;
}
