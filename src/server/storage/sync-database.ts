import type { DatabaseSync } from 'node:sqlite';
import {
  type Compilable,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { toSql } from './sql-value.ts';
import { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

/**
 * A database whose queries are built with Kysely and run synchronously: a transaction is a plain function that nothing can
 * come between.
 */
export class SyncDatabase<Schema> {
  readonly sqlite: DatabaseSync;
  /** Builds queries; it runs none itself. */
  readonly build: Kysely<Schema>;
  readonly #statements: StatementCache<Statement>;

  constructor(sqlite: DatabaseSync) {
    this.sqlite = sqlite;
    this.#statements = new StatementCache((sql) => new Statement(sqlite.prepare(sql), sql));
    this.build = new Kysely<Schema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    });
  }

  all<Row>(query: Compilable<Row>): Row[] {
    const { sql, parameters } = query.compile();
    return this.statement(sql).all(...parameters.map(toSql)) as Row[];
  }

  get<Row>(query: Compilable<Row>): Row | undefined {
    const { sql, parameters } = query.compile();
    return this.statement(sql).get(...parameters.map(toSql)) as Row | undefined;
  }

  /** @returns how many rows changed, and the key of the last one inserted. */
  run(query: Compilable<unknown>): { changes: number; key: number } {
    const { sql, parameters } = query.compile();
    const result = this.statement(sql).run(...parameters.map(toSql));
    return { changes: Number(result.changes), key: Number(result.lastInsertRowid) };
  }

  /** Runs a query. @returns how many rows it changed or found. */
  count(query: Compilable<unknown>): number {
    const compiled = query.compile();
    const once = { compile: () => compiled };
    return compiled.query.kind === 'SelectQueryNode' ? this.all(once).length : this.run(once).changes;
  }

  /** A prepared statement, kept for the next time. */
  statement(sql: string): Statement {
    return this.#statements.get(sql);
  }

  /**
   * Runs `work` in a transaction; inside one already begun, in a savepoint of it.
   * @throws TypeError for an asynchronous function.
   */
  transaction<Result>(work: () => Result): Result {
    const [begin, commit, rollback] = this.sqlite.isTransaction
      ? ['SAVEPOINT nested', 'RELEASE nested', 'ROLLBACK TO nested; RELEASE nested']
      : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'];
    this.statement(begin).run();
    try {
      const result = work();
      refuseWaiting(result);
      this.statement(commit).run();
      return result;
    } catch (error) {
      if (this.sqlite.isTransaction) this.sqlite.exec(rollback);
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.sqlite.close();
  }
}

/**
 * For what a function in a transaction returned.
 * @throws TypeError when it continues later: only its beginning would be in the transaction.
 */
export function refuseWaiting(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A transaction must not be asynchronous.');
}
