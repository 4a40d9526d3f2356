import type { Compilable, Kysely } from 'kysely';
import { type BoundQuery, PreparedQuery, type Prepares } from './prepared-query.ts';
import type { StateSchema } from './state-schema.ts';

/** A query with its values, for both kinds of databases. */
export interface ReadQuery {
  /** The rows, from a database that answers synchronously. */
  all(db: Prepares): readonly unknown[];
  /** The query to send to a database that answers later. */
  bind(build: Kysely<StateSchema>): BoundQuery;
  /** Whether the query is repeated often, so that connections keep it prepared. */
  readonly isRepeated: boolean;
}

/**
 * Several queries that read from one snapshot of the database. A query may depend on the rows of earlier ones:
 * `const rows = yield* readAll(query, values)`.
 */
export type Reading<Result> = Generator<ReadQuery, Result, readonly unknown[]>;

/** All rows of a query. */
export function* readAll<Values extends object, Row>(
  query: PreparedQuery<Values, Row>,
  values: NoInfer<Values>,
): Reading<Row[]> {
  const bind: ReadQuery['bind'] = (build) => query.bind(build, values);
  const rows = yield { all: (db) => query.all(db, values), bind, isRepeated: true };
  return rows as Row[];
}

/** All rows of a query whose text depends on its values, so that it is not kept prepared. */
export function* readOnce<Row>(build: (db: Kysely<StateSchema>) => Compilable<Row>): Reading<Row[]> {
  const query = new PreparedQuery<object, Row>(build);
  const rows = yield { all: (db) => query.all(db, {}), bind: (db) => query.bind(db, {}), isRepeated: false };
  return rows as Row[];
}

/** The first row of a query. */
export function* readFirst<Values extends object, Row>(
  query: PreparedQuery<Values, Row>,
  values: NoInfer<Values>,
): Reading<Row | undefined> {
  const [first] = yield* readAll(query, values);
  return first;
}
