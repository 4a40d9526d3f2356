import type { Compilable, Kysely } from 'kysely';
import type { PreparedInsert } from './prepared-insert.ts';
import type { PreparedQuery } from './prepared-query.ts';
import type { RefusalCode } from './refused.ts';
import type { StateSchema } from './state-schema.ts';

/**
 * Adds writes to a unit. The function is synchronous, and may be called again when a transaction is retried. It reads
 * nothing: if the writes are based on data that was read before, it adds conditions that the data has not changed.
 */
export type Write = (unit: Unit) => void;

/** How a unit waits while the database cannot be reached. */
export interface Waiting {
  /** When the unit started waiting, on the clock of `performance.now`. */
  readonly since: number;
  /** Whether the unit waits without a time limit. */
  readonly outlasts: boolean;
  /**
   * Called each time the unit could not be stored.
   * @param givenUpBefore units that started waiting before this time, and have a time limit, are given up.
   */
  onAway?(givenUpBefore: number): void;
}

/** Writes that are stored together or not at all. */
export interface Unit {
  /** Builds queries; it runs none itself. */
  readonly build: Kysely<StateSchema>;
  /** Adds a prepared query. */
  run<Values extends object>(query: PreparedQuery<Values>, values: NoInfer<Values>): void;
  /** Stores rows, at the latest before the unit's next `do` or `expect`; a later `run` may precede them. */
  insert<Values extends object>(query: PreparedInsert<Values>, rows: readonly NoInfer<Values>[]): void;
  /** Adds a query that is built for this unit. */
  do(query: Compilable<unknown>): void;
  /**
   * Adds a condition: the query must change or find exactly one row.
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
