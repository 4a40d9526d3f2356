import type { TracesDatabase } from '../database/traces-database.ts';

const prepared = new WeakSet<TracesDatabase>();

/**
 * Splits a string into words just as the full-text index does: by the tokenizer itself. Whatever it takes for two words
 * would be a phrase to it, which this index cannot search.
 * @returns the words in order, as they are in the index: small letters, without accents.
 */
export function splitWords(db: TracesDatabase, text: string): string[] {
  if (!prepared.has(db)) {
    db.sqlite.exec(`
      CREATE VIRTUAL TABLE temp.split_text USING fts5 (text, tokenize='unicode61');
      CREATE VIRTUAL TABLE temp.split_words USING fts5vocab (temp, split_text, 'instance');
    `);
    prepared.add(db);
  }
  db.statement('INSERT INTO temp.split_text (rowid, text) VALUES (1, ?)').run(text);
  try {
    return db
      .statement('SELECT term FROM temp.split_words ORDER BY "offset"')
      .all()
      .map(({ term }) => String(term));
  } finally {
    db.statement('DELETE FROM temp.split_text').run();
  }
}
