import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import type { StateSchema } from './state-schema.ts';

type Db = Kysely<StateSchema> | Transaction<StateSchema>;

/** Stands in a compiled query where a value will be. */
class Hole {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** `value('thread_id')` is where that value will stand. */
type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/**
 * A query that is built and compiled once and then only given its values: building one costs Kysely several times what
 * running it costs SQLite, which counts where a query runs with every run of a graph.
 */
export class PreparedQuery<Values extends object, Row = unknown> {
  readonly #build: (db: Db, value: ValueOf<Values>) => Compilable<Row>;
  #compiled: CompiledQuery<Row> | undefined;

  constructor(build: (db: Db, value: ValueOf<Values>) => Compilable<Row>) {
    this.#build = build;
  }

  /** @returns its rows; none of one that writes. */
  async run(db: Db, values: Values): Promise<readonly Row[]> {
    this.#compiled ??= this.#build(db, (name) => sql`${new Hole(name)}`).compile();
    const named = new Map<string, unknown>(Object.entries(values));
    const parameters = this.#compiled.parameters.map((parameter) =>
      parameter instanceof Hole ? named.get(parameter.name) : parameter,
    );
    const { rows } = await db.executeQuery<Row>({ ...this.#compiled, parameters });
    return rows;
  }
}
