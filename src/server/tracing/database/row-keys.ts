import type { TracesDatabase } from './traces-database.ts';

/** Hands out keys of rows before they are written, so that rows can name each other. One writer only. */
export class RowKeys {
  readonly #db: TracesDatabase;
  readonly #last = new Map<string, number>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  next(table: 'runs' | 'payload_blocks'): number {
    const key = (this.#last.get(table) ?? this.#db.lastKey(table)) + 1;
    this.#last.set(table, key);
    return key;
  }
}
