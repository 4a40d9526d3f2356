import type { SQLInputValue } from 'node:sqlite';
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import { toSql } from './sql-value.ts';
import type { StateSchema } from './state-schema.ts';
import type { SyncDatabase } from './sync-database.ts';

/** A placeholder for a value in a compiled query. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A placeholder for a named value. */
export function hole<Type>(name: string): RawBuilder<Type> {
  return sql`${new Hole(name)}`;
}

/** Creates the placeholder for a value: `value('thread_id')`. */
export type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/** A database that runs prepared queries. */
export type Prepares = Pick<SyncDatabase<StateSchema>, 'build' | 'statement'>;

interface Compiled {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Whether the query is a select. */
  readonly reads: boolean;
}

/** A compiled query with its values. */
export type BoundQuery = Compiled;

/**
 * A query that is built and compiled once, and then run with different values. Building a query takes several times as long
 * as running it in SQLite, which matters for the queries of every run.
 */
export class PreparedQuery<Values extends object, Row = unknown> {
  readonly #build: (db: Kysely<StateSchema>, value: ValueOf<Values>) => Compilable<Row>;
  #compiled: Compiled | undefined;
  /** The database that the query was compiled for, because each has its own SQL. */
  #compiledBy: Kysely<StateSchema> | undefined;

  constructor(build: (db: Kysely<StateSchema>, value: ValueOf<Values>) => Compilable<Row>) {
    this.#build = build;
  }

  all(db: Prepares, values: Values): Row[] {
    const { sql, parameters } = this.#compile(db.build);
    return db.statement(sql).all(...bind(parameters, values)) as Row[];
  }

  get(db: Prepares, values: Values): Row | undefined {
    const { sql, parameters } = this.#compile(db.build);
    return db.statement(sql).get(...bind(parameters, values)) as Row | undefined;
  }

  run(db: Prepares, values: Values): void {
    const { sql, parameters } = this.#compile(db.build);
    db.statement(sql).run(...bind(parameters, values));
  }

  /** Runs the query. @returns how many rows it changed or found. */
  count(db: Prepares, values: Values): number {
    const { sql, parameters, reads } = this.#compile(db.build);
    const statement = db.statement(sql);
    const bound = bind(parameters, values);
    return reads ? statement.all(...bound).length : Number(statement.run(...bound).changes);
  }

  /** The query with its values, for a database that runs it later. */
  bind(build: Kysely<StateSchema>, values: Values): BoundQuery {
    const compiled = this.#compile(build);
    return { ...compiled, parameters: fill(compiled.parameters, values) };
  }

  #compile(build: Kysely<StateSchema>): Compiled {
    if (this.#compiled === undefined || this.#compiledBy !== build) {
      const compiled = this.#build(build, hole).compile();
      this.#compiled = {
        sql: compiled.sql,
        parameters: compiled.parameters,
        reads: compiled.query.kind === 'SelectQueryNode',
      };
      this.#compiledBy = build;
    }
    return this.#compiled;
  }
}

function fill(parameters: readonly unknown[], values: object): unknown[] {
  return parameters.map((parameter) =>
    parameter instanceof Hole ? Reflect.get(values, parameter.name) : parameter,
  );
}

function bind(parameters: readonly unknown[], values: object): SQLInputValue[] {
  return parameters.map((parameter) =>
    toSql(parameter instanceof Hole ? Reflect.get(values, parameter.name) : parameter),
  );
}
