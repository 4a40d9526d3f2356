import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type RawBuilder, sql } from 'kysely';
import { isAmong } from '../../storage/is-among.ts';
import type { SyncDatabase } from '../../storage/sync-database.ts';
import type { Condition } from '../../tracing/database/condition.ts';
import type { SearchedWords, TextIndex } from '../../tracing/database/text-index.ts';
import type { TracesSchema } from '../../tracing/database/traces-schema.ts';
import { WordSplitter } from '../../tracing/database/word-splitter.ts';

/**
 * The maximum length of a word, in characters. Longer words are stored as their beginning and a hash, because
 * PostgreSQL allows at most 2046 bytes.
 */
const MAX_WORD_LENGTH = 500;

/**
 * The full-text index in PostgreSQL: rows of words in a GIN index. SQLite's tokenizer splits the text, so that words
 * are the same in both databases; PostgreSQL's own languages and stop words are not used.
 */
export class PostgresTextIndex implements TextIndex {
  readonly #db: SyncDatabase<TracesSchema>;
  #splitter: WordSplitter | undefined;

  constructor(db: SyncDatabase<TracesSchema>) {
    this.#db = db;
  }

  split(text: string): string[] {
    this.#splitter ??= new WordSplitter(new DatabaseSync(':memory:'));
    return this.#splitter.split(text);
  }

  add(row: number, session: number, text: string): void {
    const words = [...new Set(this.split(text).map(asStored))];
    this.#db
      .statement(
        `INSERT INTO runs_words (key, session, words) VALUES (?, ?, array_to_tsvector(?::text[]))
         ON CONFLICT (key) DO UPDATE SET session = excluded.session, words = excluded.words`,
      )
      .run(row, session, words);
  }

  remove(row: number): void {
    this.#db.statement('DELETE FROM runs_words WHERE key = ?').run(row);
  }

  setRemovalMode(): void {
    // There is nothing to do, because rows are deleted like any others.
  }

  merge(): boolean {
    return false;
  }

  forget(): void {
    // This index caches nothing.
  }

  condition(alias: string, searched: SearchedWords): Condition {
    const { sessions = [], side } = searched;
    return sql<boolean>`${sql.ref(`${alias}.key`)} in (select key / 2 from runs_words
      where words @@ ${queryOf(searched)}::tsquery ${scopeCondition(sessions, side)})`;
  }

  find(searched: SearchedWords, rows: number): number[] {
    const { sessions = [], side } = searched;
    const found = sql<{
      run: number;
    }>`select key / 2 as run from runs_words where words @@ ${queryOf(searched)}::tsquery
      ${scopeCondition(sessions, side)} order by key desc limit ${rows}`;
    return this.#db.all({ compile: () => found.compile(this.#db.build) }).map(({ run }) => run);
  }
}

/** The conditions for the projects and the side to search, as a further part of a `where`. */
function scopeCondition(sessions: readonly number[], side: SearchedWords['side']): RawBuilder<unknown> {
  const within = sessions.length === 0 ? sql`` : sql`and ${isAmong('session', sessions)}`;
  return side === undefined ? within : sql`${within} and key % 2 = ${side === 'inputs' ? 0 : 1}`;
}

/** The search in PostgreSQL's query language. */
function queryOf({ terms }: SearchedWords): string {
  return terms
    .map(({ word, isPrefix }) =>
      isPrefix ? `${quoted(word.slice(0, MAX_WORD_LENGTH))}:*` : quoted(asStored(word)),
    )
    .join(' & ');
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function asStored(word: string): string {
  if (word.length <= MAX_WORD_LENGTH) return word;
  return word.slice(0, MAX_WORD_LENGTH) + createHash('sha256').update(word).digest('hex');
}
