import type { SQLInputValue } from 'node:sqlite';
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import { toSql } from './sql-value.ts';
import type { StateSchema } from './state-schema.ts';
import type { SyncDatabase } from './sync-database.ts';

/** Marks where a value will be in a compiled query. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `value('thread_id')` marks where that value will be. */
type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/**
 * A query that is built and compiled once and then only given its values: building one costs Kysely several times what
 * running it costs SQLite, which counts where a query runs with every run of a graph.
 */
export class PreparedQuery<Values extends object, Row = unknown> {
  readonly #build: (db: Kysely<StateSchema>, value: ValueOf<Values>) => Compilable<Row>;
  #compiled: { readonly sql: string; readonly parameters: readonly unknown[] } | undefined;

  constructor(build: (db: Kysely<StateSchema>, value: ValueOf<Values>) => Compilable<Row>) {
    this.#build = build;
  }

  all(db: SyncDatabase<StateSchema>, values: Values): Row[] {
    const { sql, parameters } = this.#compile(db);
    return db.statement(sql).all(...bind(parameters, values)) as Row[];
  }

  get(db: SyncDatabase<StateSchema>, values: Values): Row | undefined {
    const { sql, parameters } = this.#compile(db);
    return db.statement(sql).get(...bind(parameters, values)) as Row | undefined;
  }

  run(db: SyncDatabase<StateSchema>, values: Values): void {
    const { sql, parameters } = this.#compile(db);
    db.statement(sql).run(...bind(parameters, values));
  }

  #compile(db: SyncDatabase<StateSchema>) {
    this.#compiled ??= this.#build(db.build, (name) => sql`${new Hole(name)}`).compile();
    return this.#compiled;
  }
}

function bind(parameters: readonly unknown[], values: object): SQLInputValue[] {
  return parameters.map((parameter) =>
    toSql(parameter instanceof Hole ? Reflect.get(values, parameter.name) : parameter),
  );
}
