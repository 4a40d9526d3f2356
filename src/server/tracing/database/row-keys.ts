import type { TracesDatabase } from './traces-database.ts';
import type { KeyedTable } from './traces-schema.ts';

/** Hands out keys of rows before they are written, so that rows can name each other: ascending, whoever writes. */
export class RowKeys {
  readonly #db: TracesDatabase;
  readonly #reserved = new Map<KeyedTable, { last: number; left: number }>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  next(table: KeyedTable): number {
    let reserved = this.#reserved.get(table);
    if (reserved === undefined || reserved.left === 0) {
      const { after, count } = this.#db.reserveKeys(table);
      reserved = { last: after, left: count };
      this.#reserved.set(table, reserved);
    }
    reserved.left--;
    return ++reserved.last;
  }

  /** Leaves out what is reserved: others were given keys after these, and rows are read in the order of their keys. */
  forget(): void {
    this.#reserved.clear();
  }
}
