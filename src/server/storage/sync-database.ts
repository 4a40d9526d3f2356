import type { Compilable, Kysely } from 'kysely';
import { toSql } from './sql-value.ts';

export type SyncRow = Record<string, unknown>;

/** A statement of a `SyncDatabase` that is run repeatedly with other values. */
export interface SyncStatement {
  all(...values: readonly unknown[]): SyncRow[];
  get(...values: readonly unknown[]): SyncRow | undefined;
  /** @returns how many rows changed. */
  run(...values: readonly unknown[]): { readonly changes: number | bigint };
}

/** A statement with its values, and the type of its rows. */
export interface BoundStatement<Row = SyncRow> {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** Never present at run time; only carries the type. */
  readonly row?: Row;
}

/**
 * A database whose queries are built with Kysely and run synchronously: a transaction is a plain function that cannot
 * be interrupted by other code.
 */
export abstract class SyncDatabase<Schema> {
  /** Builds queries; it runs none itself. */
  abstract readonly build: Kysely<Schema>;

  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile();
    return this.statement(sql).all(...parameters.map(toSql)) as Row[];
  }

  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile();
    return this.statement(sql).get(...parameters.map(toSql)) as Row | undefined;
  }

  /** @returns how many rows changed. */
  run(query: Compilable<unknown>): { readonly changes: number | bigint } {
    const { sql, parameters } = query.compile();
    return this.statement(sql).run(...parameters.map(toSql));
  }

  /** Runs an insert of one row with `returning`. @returns the returned values. */
  insert<Row>(query: Compilable<Row>): Row {
    const row = this.get(query);
    if (row === undefined) throw new Error('The insert returned no row.');
    return row;
  }

  /** Runs a query. @returns how many rows it changed or found. */
  count(query: Compilable<unknown>): number {
    const compiled = query.compile();
    const once = { compile: () => compiled };
    return compiled.query.kind === 'SelectQueryNode' ? this.all(once).length : Number(this.run(once).changes);
  }

  /** A prepared statement, kept for the next time. Values are `?`, or `?1`, `?2` and so on. */
  abstract statement(sql: string): SyncStatement;

  /**
   * Runs independent statements, in one round trip if the database is another process.
   * @returns the rows of each.
   */
  allOf<const Rows extends readonly unknown[]>(
    statements: {
      readonly [At in keyof Rows]: BoundStatement<Rows[At]>;
    },
  ): { [At in keyof Rows]: Rows[At][] } {
    return this.rowsOf(statements) as { [At in keyof Rows]: Rows[At][] };
  }

  protected rowsOf(statements: readonly BoundStatement<unknown>[]): SyncRow[][] {
    return statements.map(({ sql, values }) => this.statement(sql).all(...values));
  }

  /** Runs `work` in a transaction, or in a savepoint of the open transaction. @throws TypeError if it is asynchronous. */
  abstract transaction<Result>(work: () => Result): Result;

  abstract close(): void;
}

/**
 * Checks the return value of a function that ran in a transaction.
 * @throws TypeError for a promise, because only the beginning of the function was in the transaction.
 */
export function refuseWaiting(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A transaction must not be asynchronous.');
}
