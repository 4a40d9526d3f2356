import type { Kysely } from 'kysely';
import type { BoundQuery, PreparedQuery, Prepares } from './prepared-query.ts';
import type { StateSchema } from './state-schema.ts';

/** A query of a reading, with its values. */
export interface Question {
  /** Its rows, from a database that answers at once. */
  ask(db: Prepares): readonly unknown[];
  /** For a database that answers later. */
  bind(build: Kysely<StateSchema>): BoundQuery;
}

/**
 * Queries of which later ones depend on the answers of earlier ones, all answered as the database was at one moment:
 * `const rows = yield* readAll(query, values)`.
 */
export type Reading<Result> = Generator<Question, Result, readonly unknown[]>;

/** All rows of a query. */
export function* readAll<Values extends object, Row>(
  query: PreparedQuery<Values, Row>,
  values: NoInfer<Values>,
): Reading<Row[]> {
  const rows = yield { ask: (db) => query.all(db, values), bind: (build) => query.bind(build, values) };
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
