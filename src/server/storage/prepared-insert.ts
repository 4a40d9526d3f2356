import type { Compilable, Kysely } from 'kysely';
import { type BoundQuery, hole, PreparedQuery, type ValueOf } from './prepared-query.ts';
import type { StateSchema } from './state-schema.ts';

/** The maximum number of rows that one statement stores. */
const MAX_ROWS = 16;

type Build<Values> = (db: Kysely<StateSchema>, rows: readonly ValueOf<Values>[]) => Compilable<unknown>;

/**
 * An insert that is compiled once for each number of rows. In a unit, rows may be stored later than other statements: no
 * other statement of the unit may depend on the rows, and the rows may not depend on other statements.
 */
export class PreparedInsert<Values extends object> {
  /** Stores one row. */
  readonly one: PreparedQuery<Values>;
  readonly #build: Build<Values>;
  readonly #many: PreparedQuery<object>[] = [];

  constructor(build: Build<Values>) {
    this.#build = build;
    this.one = new PreparedQuery((db, value) => build(db, [value]));
  }

  /** The statements that insert rows, with their values, for a database that runs them later. */
  bindAll(build: Kysely<StateSchema>, rows: readonly object[]): BoundQuery[] {
    const bound: BoundQuery[] = [];
    for (let at = 0; at < rows.length; at += MAX_ROWS) {
      const part = rows.slice(at, at + MAX_ROWS);
      bound.push(this.#ofRows(part.length).bind(build, valuesOf(part)));
    }
    return bound;
  }

  #ofRows(count: number): PreparedQuery<object> {
    const rowAt =
      (at: number): ValueOf<Values> =>
      (name) =>
        hole(placeOf(at, name));
    this.#many[count] ??= new PreparedQuery((db) =>
      this.#build(
        db,
        Array.from({ length: count }, (_, at) => rowAt(at)),
      ),
    );
    return this.#many[count];
  }
}

function valuesOf(rows: readonly object[]): object {
  return Object.fromEntries(
    rows.flatMap((row, at) => Object.entries(row).map(([name, value]) => [placeOf(at, name), value])),
  );
}

function placeOf(row: number, name: string): string {
  return `${row}.${name}`;
}
