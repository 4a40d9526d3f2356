import type { DatabaseSync } from 'node:sqlite';

/**
 * Splits strings into words exactly like FTS5, using its tokenizer. Otherwise one word could become a phrase, which the
 * index cannot search.
 */
export class WordSplitter {
  readonly #sqlite: DatabaseSync;

  /** @param sqlite the caller's connection, in which temporary tables are created. */
  constructor(sqlite: DatabaseSync) {
    this.#sqlite = sqlite;
  }

  /** @returns the words in order: lower case, without accents. */
  split(text: string): string[] {
    // The tables are created each time, because they are dropped when the caller's transaction is rolled back.
    this.#sqlite.exec(`
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.split_text USING fts5 (text, tokenize='unicode61');
      CREATE VIRTUAL TABLE IF NOT EXISTS temp.split_words USING fts5vocab (temp, split_text, 'instance');
    `);
    this.#sqlite.prepare('INSERT INTO temp.split_text (rowid, text) VALUES (1, ?)').run(text);
    try {
      return this.#sqlite
        .prepare('SELECT term FROM temp.split_words ORDER BY "offset"')
        .all()
        .map(({ term }) => String(term));
    } finally {
      this.#sqlite.prepare('DELETE FROM temp.split_text').run();
    }
  }
}
