import type { Compilable, Kysely } from 'kysely';
import { type BoundQuery, PreparedQuery, type Prepares } from './prepared-query.ts';
import type { StateSchema } from './state-schema.ts';

/** Its rows, from a database that answers at once. */
export interface Question {
  /** Its rows, from a database that answers at once. */
  ask(db: Prepares): readonly unknown[];
  /** For a database that answers later. */
  bind(build: Kysely<StateSchema>): BoundQuery;
  /** Whether it is repeated often, so that connections keep it prepared. */
  readonly isKept: boolean;
}

/**
 * Queries some of which depend on the answers of earlier ones, all answered from one snapshot of the database:
 * `const rows = yield* readAll(query, values)`.
 */
export type Reading<Result> = Generator<Question, Result, readonly unknown[]>;

/** All rows of a query. */
export function* readAll<Values extends object, Row>(
  query: PreparedQuery<Values, Row>,
  values: NoInfer<Values>,
): Reading<Row[]> {
  const bind: Question['bind'] = (build) => query.bind(build, values);
  const rows = yield { ask: (db) => query.all(db, values), bind, isKept: true };
  return rows as Row[];
}

/** All rows of a query whose number of texts depends on its values. */
export function* readOnce<Row>(build: (db: Kysely<StateSchema>) => Compilable<Row>): Reading<Row[]> {
  const query = new PreparedQuery<object, Row>(build);
  const rows = yield { ask: (db) => query.all(db, {}), bind: (db) => query.bind(db, {}), isKept: false };
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
