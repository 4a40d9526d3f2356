import type { Compilable, Kysely } from 'kysely';
import type { PreparedInsert } from './prepared-insert.ts';
import type { PreparedQuery } from './prepared-query.ts';
import type { RefusalCode } from './refused.ts';
import type { StateSchema } from './state-schema.ts';

/**
 * Writes that are stored together or not at all. A unit reads nothing: what decides it was looked at before, and is a
 * condition of the unit. The function is synchronous, and may be called again when a transaction is.
 */
export type Write = (unit: Unit) => void;

/** How a unit waits while the database cannot be reached. */
export interface Waiting {
  /** When it began to, as `performance.now` says it. */
  readonly since: number;
  /** Whether it waits as long as it takes, instead of some time. */
  readonly outlasts: boolean;
  /**
   * Called each time that the unit could not be stored.
   * @param givenUpBefore what began to wait before that, and does not outlast it, is given up.
   */
  onAway?(givenUpBefore: number): void;
}

export interface Unit {
  /** Builds queries; it runs none itself. */
  readonly build: Kysely<StateSchema>;
  run<Values extends object>(query: PreparedQuery<Values>, values: NoInfer<Values>): void;
  /** Stores rows, at the latest before the next query that is built for this unit or is a condition. */
  insert<Values extends object>(query: PreparedInsert<Values>, rows: readonly NoInfer<Values>[]): void;
  /** Runs a query that is built for this unit. */
  do(query: Compilable<unknown>): void;
  /**
   * A condition: the query changes or finds exactly one row.
   * @throws Refused, immediately or when the unit is stored.
   */
  expect<Values extends object>(
    query: PreparedQuery<Values>,
    values: NoInfer<Values>,
    refusal: RefusalCode,
  ): void;
  expect(query: Compilable<unknown>, refusal: RefusalCode): void;
}

/** The arguments of `expect`. */
export type Condition<Values extends object> =
  | [query: PreparedQuery<Values>, values: Values, refusal: RefusalCode]
  | [query: Compilable<unknown>, refusal: RefusalCode];
