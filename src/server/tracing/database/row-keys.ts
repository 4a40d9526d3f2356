import type { TracesDatabase } from './traces-database.ts';
import { KEYED_TABLES, type KeyedTable } from './traces-schema.ts';

/**
 * Assigns keys of rows before they are written, so that rows can refer to each other. Keys ascend, whichever server
 * writes.
 */
export class RowKeys {
  readonly #db: TracesDatabase;
  readonly #reserved = new Map<KeyedTable, { last: number; left: number }>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  /** Returns the key for a new row of a table. */
  next(table: KeyedTable): number {
    let reserved = this.#reserved.get(table);
    if (reserved === undefined || reserved.left === 0) {
      // A request that needs a key for one table usually needs keys for all tables soon.
      this.#reserve(this.#reserved.size === 0 ? KEYED_TABLES : [table]);
      reserved = this.#reserved.get(table);
    }
    if (reserved === undefined) throw new Error(`No keys of ${table} were reserved.`);
    reserved.left--;
    return ++reserved.last;
  }

  #reserve(tables: readonly KeyedTable[]): void {
    for (const { table, after, count } of this.#db.reserveKeys(tables)) {
      this.#reserved.set(table, { last: after, left: count });
    }
  }

  /**
   * Drops the reserved keys, because other servers have assigned later ones since then, and rows are read in the order
   * of their keys.
   */
  forget(): void {
    this.#reserved.clear();
  }
}
