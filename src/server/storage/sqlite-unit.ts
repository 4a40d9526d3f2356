import type { Compilable, Kysely } from 'kysely';
import type { PreparedInsert } from './prepared-insert.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { type RefusalCode, Refused } from './refused.ts';
import type { StateSchema } from './state-schema.ts';
import type { SyncDatabase } from './sync-database.ts';
import type { Condition, Unit } from './unit.ts';

/** A unit on SQLite, whose statements run immediately in the open transaction. */
export class SqliteUnit implements Unit {
  readonly #db: SyncDatabase<StateSchema>;

  constructor(db: SyncDatabase<StateSchema>) {
    this.#db = db;
  }

  get build(): Kysely<StateSchema> {
    return this.#db.build;
  }

  run<Values extends object>(query: PreparedQuery<Values>, values: NoInfer<Values>): void {
    query.run(this.#db, values);
  }

  insert<Values extends object>(query: PreparedInsert<Values>, rows: readonly NoInfer<Values>[]): void {
    for (const row of rows) query.one.run(this.#db, row);
  }

  do(query: Compilable<unknown>): void {
    this.#db.run(query);
  }

  expect<Values extends object>(
    query: PreparedQuery<Values>,
    values: NoInfer<Values>,
    refusal: RefusalCode,
  ): void;
  expect(query: Compilable<unknown>, refusal: RefusalCode): void;
  expect<Values extends object>(...condition: Condition<Values>): void {
    const [rows, refusal] =
      condition.length === 3
        ? [condition[0].count(this.#db, condition[1]), condition[2]]
        : [this.#db.count(condition[0]), condition[1]];
    if (rows !== 1) throw new Refused(refusal);
  }
}
